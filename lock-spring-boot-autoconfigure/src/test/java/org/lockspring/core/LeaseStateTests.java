package org.lockspring.core;

import java.time.Duration;

import org.junit.jupiter.api.Test;
import org.lockspring.LockLostException;

import static org.assertj.core.api.Assertions.assertThat;

/** What {@link LeaseModelTests} interleaves, in one thread. */
class LeaseStateTests {

	private static final LockLostException LOST = new LockLostException("A guard said so");

	private final LeaseState state = new LeaseState();

	private final long past = System.nanoTime() - 1;

	private final long future = System.nanoTime() + Duration.ofHours(1).toNanos();

	@Test
	void nobodyEntersAfterTheLastHasLeft() {
		assertThat(this.state.enter()).isTrue();
		assertThat(this.state.leave()).isFalse();
		assertThat(this.state.leave()).isTrue();
		assertThat(this.state.enter()).isFalse();
		assertThat(this.state.enter()).isFalse();
	}

	@Test
	void onlyOneIsTheLastToLeave() {
		assertThat(this.state.enter()).isTrue();
		assertThat(this.state.leaveIfAlone()).isFalse();
		assertThat(this.state.leaveUnlessLast()).isFalse();
		assertThat(this.state.leaveUnlessLast()).isTrue();
		assertThat(this.state.leave()).isTrue();
		assertThat(this.state.leave()).isFalse();
		assertThat(this.state.leaveIfAlone()).isFalse();
		assertThat(this.state.leaveUnlessLast()).isFalse();
	}

	@Test
	void laterDeadlineDoesNotMakeItValidAgain() {
		assertThat(this.state.isValid(this.future)).isTrue();
		assertThat(this.state.isValid(this.past)).isFalse();
		assertThat(this.state.isValid(this.future)).isFalse();
		assertThat(this.state.lose(LOST)).as("nobody was told yet").isTrue();
		assertThat(this.state.close(this.future)).isFalse();
	}

	@Test
	void lossIsToldOnce() {
		assertThat(this.state.lose(LOST)).isTrue();
		assertThat(this.state.lose(new LockLostException("Another said so"))).isFalse();
		assertThat(this.state.loss()).isSameAs(LOST);
		assertThat(this.state.close(this.future)).isFalse();
	}

	@Test
	void nothingIsLostAfterItWasClosed() {
		assertThat(this.state.close(this.future)).isTrue();
		assertThat(this.state.lose(LOST)).isFalse();
		assertThat(this.state.loss()).isNull();
		assertThat(this.state.isValid(this.future)).isFalse();
	}

}
