package org.lockspring.core;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.lockspring.Acquisition;
import org.lockspring.LockAttempt;
import org.lockspring.LockMode;

import static org.lockspring.core.Model.require;

/**
 * Interleavings of threads that want one lock; a wake-up that is missing is a deadlock.
 */
@Tag("interleavings")
class LocalQueueModelTests {

	private static final LockAttempt ATTEMPT = new LockAttempt("k", "owner", LockMode.EFFICIENCY,
			Duration.ofSeconds(30), "'k'");

	private static final HandOverLimits LIMITS = new HandOverLimits(true, 1000, Duration.ofSeconds(50));

	@Test
	void oneTurnAtATimeEverybodyIsServedAndNothingIsLeft() {
		Model.check(() -> {
			Scene scene = new Scene();
			Model.parallel(scene::takeAndLeave, scene::takeAndLeave, scene::takeAndLeave);
			require(scene.turns.get() == 3, "Somebody was not served");
			require(scene.queue.isEmpty(), "A line is left");
		});
	}

	@Test
	void entryThatIsPassedOnIsReleasedByTheLast() {
		Model.check(() -> {
			Scene scene = new Scene();
			Model.parallel(scene::takeAndPassOn, scene::takeAndPassOn, scene::takeAndLeave);
			require(scene.turns.get() == 3, "Somebody was not served");
			require(scene.held.get() == 0, "An entry is left");
			require(scene.queue.isEmpty(), "A line is left");
		});
	}

	@Test
	void turnsComeInTheOrderOfArrival() {
		Model.check(() -> {
			Scene scene = new Scene();
			Turn first = scene.enter();
			Thread second = Model.start(() -> scene.leave(scene.enter(), 1));
			scene.parking.awaitParked(1);
			Thread third = Model.start(() -> scene.leave(scene.enter(), 2));
			scene.parking.awaitParked(2);
			scene.leave(first, 0);
			Model.join(second, third);
			require(scene.queue.isEmpty(), "A line is left");
		});
	}

	@Test
	void interruptInTheInstantOfTheHandOverLeavesNoEntryAndNoTurn() {
		Model.check(() -> {
			Scene scene = new Scene();
			Turn first = scene.enter();
			ModelEntry entry = new ModelEntry();
			Thread waiter = new Thread(() -> {
				try {
					Turn turn = scene.enter();
					scene.release(turn, entry);
					scene.queue.leave(turn);
				}
				catch (InterruptedException ex) {
					// The interrupt was first
				}
			});
			waiter.setDaemon(true);
			waiter.start();
			Model.parallel(() -> scene.parking.interrupt(waiter), () -> {
				if (!scene.queue.handOver(first, LockMode.EFFICIENCY, entry, null)) {
					entry.release();
					scene.queue.leave(first);
				}
			});
			Model.join(waiter);
			require(entry.releases() == 1, "The entry is left, or was released twice");
			require(scene.queue.isEmpty(), "A line is left");
		});
	}

	@Test
	void whoeverIsServedByAnAnswerFindsItAndNothingIsLeftIfNobodyIs() {
		Model.check(() -> {
			Scene scene = new Scene();
			Turn first = scene.enter();
			ModelEntry entry = new ModelEntry();
			ModelEntry granted = new ModelEntry();
			CompletableFuture<Acquisition> answer = new CompletableFuture<>();
			Thread waiter = new Thread(() -> {
				try {
					Turn turn = scene.enter();
					if (turn.inheritance != null) {
						((Acquisition.Granted) turn.inheritance.answer().join()).lease().release();
					}
					scene.queue.leave(turn);
				}
				catch (InterruptedException ex) {
					// The interrupt was first
				}
			});
			waiter.setDaemon(true);
			waiter.start();
			AtomicBoolean passed = new AtomicBoolean();
			Model.parallel(() -> scene.parking.interrupt(waiter), () -> {
				passed.set(scene.queue.handOver(first, LockMode.EFFICIENCY, entry, (attempt) -> answer));
				if (!passed.get()) {
					scene.queue.leave(first);
				}
			}, () -> answer.complete(new Acquisition.Granted(granted)));
			Model.join(waiter);
			require(entry.releases() == 0, "The entry that was replaced was released");
			require(granted.releases() == (passed.get() ? 1 : 0), "What was granted is left, or was released twice");
			require(scene.queue.isEmpty(), "A line is left");
		});
	}

	/** One lock of one process. */
	private static final class Scene {

		private final StrictParking parking = new StrictParking();

		private final LocalQueue queue = new LocalQueue(LIMITS, Runnable::run, this.parking);

		private final AtomicInteger inside = new AtomicInteger();

		private final AtomicInteger turns = new AtomicInteger();

		private final AtomicInteger held = new AtomicInteger();

		private int order;

		Turn enter() throws InterruptedException {
			return this.queue.enter("k", ATTEMPT, System.nanoTime() + Long.MAX_VALUE / 2);
		}

		private Turn take() throws InterruptedException {
			Turn turn = enter();
			require(this.inside.incrementAndGet() == 1, "Two have the turn");
			this.turns.incrementAndGet();
			if (turn.inheritance == null) {
				require(this.held.incrementAndGet() == 1, "Two entries of one lock");
			}
			return turn;
		}

		void takeAndLeave() throws InterruptedException {
			Turn turn = take();
			this.held.decrementAndGet();
			this.inside.decrementAndGet();
			this.queue.leave(turn);
		}

		void takeAndPassOn() throws InterruptedException {
			Turn turn = take();
			this.inside.decrementAndGet();
			if (!this.queue.handOver(turn, LockMode.EFFICIENCY, new ModelEntry(), null)) {
				this.held.decrementAndGet();
				this.queue.leave(turn);
			}
		}

		void release(Turn turn, ModelEntry entry) {
			if (turn.inheritance != null) {
				entry.release();
			}
		}

		synchronized void leave(Turn turn, int expected) {
			require(this.order++ == expected, "Out of order");
			this.queue.leave(turn);
		}

	}

}
