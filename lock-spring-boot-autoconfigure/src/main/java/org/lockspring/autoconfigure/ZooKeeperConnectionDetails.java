package org.lockspring.autoconfigure;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.autoconfigure.service.connection.ConnectionDetails;

/**
 * How the backend 'zookeeper' reaches its servers. A bean of this type replaces the
 * properties {@code lock.zookeeper.*}, except the time-outs.
 *
 * @since 0.1.0
 */
public interface ZooKeeperConnectionDetails extends ConnectionDetails {

	/**
	 * Return the addresses of the servers.
	 * @return for example {@code localhost:2181}, with a path at the end to stay below it
	 */
	String getConnectString();

	/**
	 * Return who logs in, with the scheme {@code digest}.
	 * @return the user; {@code null} for no login
	 */
	default @Nullable String getUser() {
		return null;
	}

	/**
	 * Return the password of the user.
	 * @return the password; {@code null} for no login
	 */
	default @Nullable String getPassword() {
		return null;
	}

}
