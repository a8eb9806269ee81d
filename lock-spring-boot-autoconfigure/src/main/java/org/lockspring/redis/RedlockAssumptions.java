package org.lockspring.redis;

import java.util.ArrayList;
import java.util.List;

import org.lockspring.Assumption;
import org.lockspring.LockMode;

/**
 * What locks on several servers rest on. None of it can be seen from a client.
 */
final class RedlockAssumptions {

	private RedlockAssumptions() {
	}

	static List<Assumption> of(LockMode mode, RedlockSettings settings) {
		int nodes = settings.nodes().size();
		int forgetting = RedlockRules.survivesForgetting(settings.quorum(), nodes);
		List<Assumption> assumptions = new ArrayList<>();
		assumptions.add(Assumption.unchecked("The servers fail independently: no common host, disk or power"));
		if (mode == LockMode.CORRECTNESS) {
			assumptions.add(Assumption.unchecked("Every write that matters goes to a resource that checks the token"));
			assumptions.add(Assumption.unchecked(
					"Of the servers that lost their memory within one quarantine, at most %d count; or else their clocks are apart by less than the quarantine of %s"
						.formatted(forgetting, settings.quarantine())));
		}
		else {
			assumptions.add(Assumption.unchecked("No holder stalls for longer than its ttl, else two run at once"));
		}
		assumptions.add(Assumption.unchecked("The servers' clocks run at the same speed as ours, to within 1 %"));
		return assumptions;
	}

}
