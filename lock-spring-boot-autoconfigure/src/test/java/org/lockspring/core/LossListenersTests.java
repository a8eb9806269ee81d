package org.lockspring.core;

import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.lockspring.LockLostException;

import static org.assertj.core.api.Assertions.assertThat;

class LossListenersTests {

	@Test
	void oneThatFailsDoesNotSilenceTheOthers() {
		LossListeners listeners = new LossListeners();
		List<LockLostException> told = new ArrayList<>();
		LockLostException lost = new LockLostException("lost");
		listeners.add((loss) -> {
			throw new AssertionError("listener");
		});
		listeners.add(told::add);
		listeners.tell(lost);
		listeners.add(told::add);
		assertThat(told).containsExactly(lost, lost);
	}

}
