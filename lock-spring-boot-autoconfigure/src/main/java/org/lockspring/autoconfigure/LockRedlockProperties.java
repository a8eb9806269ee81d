package org.lockspring.autoconfigure;

import java.time.Duration;
import java.util.List;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Properties of the backend 'redlock'.
 *
 * @param nodes URIs of the independent Redis servers, at least 3, for example
 * 'redis://user:password@host:6379' or 'rediss://host:6379'. All applications that share
 * locks name the same ones in the same way.
 * @param quorum Number of servers that decide. Defaults to the majority; a larger one
 * survives servers that lost their memory.
 * @param nodeTimeout Time that one server has to answer, small against every ttl.
 * @param quarantine Time for which a server that may have lost its memory grants nothing:
 * at least the largest ttl, and more than the servers' clocks are apart.
 * @param bootstrap Whether servers that are all new grant at once, without a quarantine.
 * @param confirm Whether every acquisition takes a second round.
 * @param ssl SSL configuration.
 * @since 0.1.0
 */
@ConfigurationProperties("lock.redlock")
public record LockRedlockProperties(@DefaultValue List<String> nodes, @Nullable Integer quorum,
		@DefaultValue("100ms") Duration nodeTimeout, @DefaultValue("60s") Duration quarantine, boolean bootstrap,
		boolean confirm, @DefaultValue Ssl ssl) {

	/**
	 * SSL configuration.
	 *
	 * @param bundle SSL bundle name. Encrypts also what is not named 'rediss://'.
	 */
	public record Ssl(@Nullable String bundle) {

	}

}
