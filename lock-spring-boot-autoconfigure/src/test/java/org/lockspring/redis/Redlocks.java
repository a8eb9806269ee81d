package org.lockspring.redis;

import java.time.Duration;
import java.util.List;

import io.lettuce.core.RedisURI;

/**
 * Backends over several servers, as tests want them.
 */
final class Redlocks {

	private Redlocks() {
	}

	/**
	 * A backend that grants at once on servers that are all new.
	 */
	static RedlockBackend bootstrapped(List<String> uris) {
		return new RedlockBackend(settings(uris, true), null);
	}

	static RedlockSettings settings(List<String> uris, boolean bootstrap) {
		RedlockSettings defaults = new RedlockSettings(uris.stream().map(RedisURI::create).toList(), "test");
		return new RedlockSettings(defaults.nodes(), defaults.quorum(), Duration.ofMillis(200), Duration.ofMinutes(10),
				bootstrap, false, "test");
	}

	static RedlockSettings withQuarantine(RedlockSettings settings, Duration quarantine) {
		return new RedlockSettings(settings.nodes(), settings.quorum(), settings.nodeTimeout(), quarantine,
				settings.bootstrap(), settings.confirm(), settings.namespace());
	}

	static RedlockSettings withNodeTimeout(RedlockSettings settings, Duration nodeTimeout) {
		return new RedlockSettings(settings.nodes(), settings.quorum(), nodeTimeout, settings.quarantine(),
				settings.bootstrap(), settings.confirm(), settings.namespace());
	}

}
