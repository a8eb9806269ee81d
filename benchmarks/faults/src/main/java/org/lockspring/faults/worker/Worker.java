package org.lockspring.faults.worker;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;
import org.lockspring.faults.history.HistoryFile;
import org.lockspring.faults.workload.Locking;
import org.lockspring.faults.workload.Workload;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.CommandLineRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.stereotype.Component;

/**
 * Looks up what to do, and does it with a thread for each part of each workload.
 */
@Component
class Worker implements CommandLineRunner {

	private final String name;

	private final WorkerFiles files;

	private final List<Workload> workloads;

	private final ApplicationContext context;

	private volatile @Nullable Shift shift;

	Worker(@Value("${faults.worker}") String name, @Value("${faults.directory}") Path directory,
			List<Workload> workloads, ApplicationContext context) {
		this.name = name;
		this.files = new WorkerFiles(directory);
		this.workloads = workloads;
		this.context = context;
	}

	@Override
	public void run(String... args) throws InterruptedException {
		for (Workload workload : this.workloads) {
			for (int i = 0; i < workload.threads(); i++) {
				int thread = i;
				start(workload.name() + "-" + i, () -> work(workload, thread));
			}
		}
		@Nullable Shift ending = null;
		while (true) {
			Assignment wanted = this.files.assignment();
			Shift current = this.shift;
			if (current != null && !current.assignment().equals(wanted)) {
				this.shift = null;
				current.end();
				ending = current;
			}
			if (ending != null && ending.isQuiet()) {
				ending.close();
				ending = null;
			}
			if (ending == null && this.shift == null && wanted != null) {
				this.shift = begin(wanted);
			}
			this.files.report(this.name, (ending != null) ? "ending" : state());
			Thread.sleep(40);
		}
	}

	private static void start(String name, Runnable work) {
		Thread thread = new Thread(work, name);
		thread.setDaemon(true);
		thread.start();
	}

	private Shift begin(Assignment assignment) {
		return new Shift(this.name, assignment, this.context.getBean(assignment.locking(), Locking.class),
				new HistoryFile(this.files.history(assignment.run(), this.name)));
	}

	private String state() {
		Shift current = this.shift;
		if (current == null) {
			return "idle";
		}
		Map<String, Long> grants = current.lastGrants();
		return "working " + grants.entrySet()
			.stream()
			.map((grant) -> grant.getKey() + "=" + grant.getValue())
			.collect(Collectors.joining(" "));
	}

	private void work(Workload workload, int thread) {
		Random random = new Random();
		while (true) {
			try {
				Shift current = this.shift;
				if (current == null || !current.assignment().workloads().contains(workload.name())) {
					Thread.sleep(10);
					continue;
				}
				current.once(workload, thread, random);
				Thread.sleep(workload.isOnce() ? 20 + random.nextInt(60) : random.nextInt(3));
			}
			catch (InterruptedException ex) {
				// Nobody interrupts it but a lock that was lost
			}
		}
	}

}
