package org.lockspring.sample;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.IntStream;

import org.lockspring.LockException;
import org.lockspring.fencing.StaleFencingTokenException;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Primary;
import org.springframework.dao.TransientDataAccessException;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * One JVM of the ledger under load: transfers random amounts, several threads at a time,
 * until its standard input closes. Tells the outcome of each call in a line of its
 * standard output.
 */
final class LedgerWorker {

	/** What tells the worker's lines from log lines. */
	static final String MARK = "> ";

	private static final int THREADS = 4;

	private static volatile boolean finished;

	private LedgerWorker() {
	}

	public static void main(String[] args) throws IOException, InterruptedException {
		try (ConfigurableApplicationContext context = new SpringApplicationBuilder(LedgerApplication.class, Beans.class)
			.web(WebApplicationType.NONE)
			.run(args)) {
			List<String> accounts = context.getBean(Ledger.class).accounts().stream().map(Account::id).toList();
			TransferService service = context.getBean(TransferService.class);
			List<Thread> threads = IntStream.range(0, THREADS)
				.mapToObj((i) -> new Thread(() -> transferUntilFinished(service, accounts), "transfers-" + i))
				.toList();
			tell("ready");
			obey(context.getBean(Hold.class), threads);
			for (Thread thread : threads) {
				thread.join();
			}
			tell("finished");
		}
	}

	private static void obey(Hold hold, List<Thread> threads) throws IOException {
		BufferedReader orders = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
		for (String order = orders.readLine(); order != null; order = orders.readLine()) {
			switch (order) {
				case "start" -> threads.forEach(Thread::start);
				case "hold" -> hold.arm();
				case "go" -> hold.release();
				default -> throw new IllegalArgumentException(order);
			}
		}
		finished = true;
		hold.release();
	}

	private static void transferUntilFinished(TransferService service, List<String> accounts) {
		ThreadLocalRandom random = ThreadLocalRandom.current();
		while (!finished) {
			int from = random.nextInt(accounts.size());
			int to = (from + 1 + random.nextInt(accounts.size() - 1)) % accounts.size();
			transfer(service, accounts.get(from), accounts.get(to), random.nextInt(1, 10));
		}
	}

	private static void transfer(TransferService service, String from, String to, long amount) {
		while (!finished) {
			try {
				tell("made " + service.transfer(from, to, amount).id());
				return;
			}
			catch (LockException | StaleFencingTokenException | TransientDataAccessException ex) {
				tell("refused " + ex.getClass().getSimpleName());
			}
			catch (RuntimeException ex) {
				tell("failed " + ex);
				return;
			}
		}
	}

	private static void tell(String line) {
		synchronized (System.out) {
			System.out.println(MARK + line);
			System.out.flush();
		}
	}

	/**
	 * Not a configuration class: the scan of the application must not find it.
	 */
	static class Beans {

		@Bean
		Hold hold() {
			return new Hold(() -> tell("held"));
		}

		@Bean
		@Primary
		HoldingLedger holdingLedger(JdbcClient jdbc, Hold hold) {
			return new HoldingLedger(jdbc, hold);
		}

		@Bean
		@Primary
		@ConditionalOnProperty(name = "worker.mode", havingValue = "EFFICIENCY")
		EfficiencyTransferService efficiencyTransferService(Ledger ledger, TransactionTemplate transaction) {
			return new EfficiencyTransferService(ledger, transaction);
		}

	}

}
