package org.lockspring.core;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.lockspring.LockLostException;
import org.lockspring.LockMode;
import org.lockspring.LockRequest;
import org.lockspring.memory.MemoryLockBackend;

import static org.lockspring.core.Model.require;

/** Interleavings of what can happen to one lease at the same time. */
@Tag("interleavings")
class LeaseModelTests {

	private static final Duration TTL = Duration.ofSeconds(30);

	private static final LockLostException LOST = new LockLostException("A guard said so");

	@Test
	void noRenewalStartsAfterTheRelease() {
		Model.check(() -> {
			Scene scene = new Scene();
			Model.parallel(scene::renew, () -> {
				if (scene.lease.renewal().stop()) {
					scene.entry.mark();
				}
			});
			scene.renew();
			require(scene.entry.later() == 0, "Renewed after the release");
			require(scene.entry.renewals() <= 1, "Renewed again");
		});
	}

	@Test
	void entryIsReleasedOnceByTheLastWhoLeaves() {
		Model.check(() -> {
			Scene scene = new Scene();
			require(scene.lease.enter(), "Held");
			Model.parallel(scene::leave, scene::leave, () -> {
				if (scene.lease.enter()) {
					require(scene.entry.releases() == 0 && scene.lease.isValid(), "Entered what is released");
					scene.leave();
				}
				else {
					require(!scene.lease.enter(), "Entered what could not be entered");
				}
			});
			require(scene.entry.releases() == 1, "Released not exactly once");
			require(!scene.lease.enter(), "Entered what is released");
			require(scene.losses.get() == 0, "Lost");
		});
	}

	@Test
	void lossIsToldOnceAndNotAfterTheRelease() {
		Model.check(() -> {
			LeaseState state = new LeaseState();
			long validUntil = System.nanoTime() + TTL.toNanos();
			boolean[] told = new boolean[2];
			boolean[] wasValid = new boolean[1];
			Model.parallel(() -> told[0] = state.lose(LOST), () -> told[1] = state.lose(LOST),
					() -> wasValid[0] = state.close(validUntil));
			require(!(told[0] && told[1]), "Told twice");
			require((told[0] || told[1]) != wasValid[0], "Told the one, not the other");
			require(!state.lose(LOST) && !state.isValid(validUntil), "Open after the release");
		});
	}

	@Test
	void invalidLeaseDoesNotBecomeValid() {
		Model.check(() -> {
			Scene scene = new Scene();
			Model.parallel(scene::renew, () -> {
				scene.entry.expire();
				boolean before = scene.lease.isValid();
				boolean after = scene.lease.isValid();
				require(before || !after, "Valid again");
			});
		});
	}

	@Test
	void extensionAndRenewalDoNotRunAtTheSameTimeNorAfterTheRelease() {
		Model.check(() -> {
			Scene scene = new Scene();
			Model.parallel(() -> scene.lease.renewal().extend(TTL), scene::renew, () -> {
				if (scene.lease.renewal().stop()) {
					scene.entry.mark();
				}
			});
			require(scene.entry.later() == 0, "Renewed after the release");
			require(!scene.entry.overlapped(), "Two at the same time");
			require(scene.lease.renewal().extend(TTL) == null, "Extended after the release");
		});
	}

	@Test
	void lastTimeToLiveIsSetAfterTheRenewalThatRuns() {
		Model.check(() -> {
			Scene scene = new Scene();
			Model.parallel(scene::renew, () -> {
				scene.lease.renewal().stop();
				scene.lease.renewal().last(Duration.ofSeconds(5));
			});
			require(scene.entry.validUntil() - System.nanoTime() <= Duration.ofSeconds(5).toNanos(),
					"A renewal came after it");
		});
	}

	@Test
	void workIsNeverLeftWithoutItsThread() {
		Model.check(() -> {
			List<String> work = new ArrayList<>();
			OnDemandThread[] thread = new OnDemandThread[1];
			thread[0] = new OnDemandThread("work", () -> {
				do {
					synchronized (work) {
						work.clear();
					}
				}
				while (!thread[0].leave());
			}, () -> {
				synchronized (work) {
					return work.isEmpty();
				}
			});
			Model.Step add = () -> {
				synchronized (work) {
					work.add("work");
				}
				Thread running = thread[0].require();
				if (running != null) {
					running.join();
				}
			};
			Model.parallel(add, add);
			require(work.isEmpty(), "Work is left");
		});
	}

	/** One lease, and the store's entry behind it. */
	private static final class Scene {

		private final AtomicInteger losses = new AtomicInteger();

		private final ModelEntry entry = new ModelEntry();

		private final HeldLease lease;

		Scene() {
			LockSettings settings = new LockSettings("app");
			MemoryLockBackend store = new MemoryLockBackend();
			LeaseWatch watch = new LeaseWatch(Runnable::run);
			// The scenes renew themselves
			watch.close();
			LeaseAcquirer acquirer = new LeaseAcquirer(new LockBackends(store, store), settings, watch, Runnable::run,
					(event) -> this.losses.incrementAndGet());
			LockRequest request = new LockRequest("k", LockMode.EFFICIENCY, TTL, Duration.ZERO, Duration.ZERO, true,
					"");
			this.lease = new HeldLease(acquirer, request, "app:{k}", this.entry,
					new Turn("app:{k}", null, Yielding.NO));
		}

		void renew() {
			if (this.lease.renewal().begin(System.nanoTime() + TTL.toNanos())) {
				this.lease.renewal().run();
			}
		}

		void leave() {
			if (this.lease.leave()) {
				this.lease.release();
			}
		}

	}

}
