package org.lockspring.autoconfigure;

import java.util.List;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.autoconfigure.service.connection.ConnectionDetails;
import org.springframework.boot.ssl.SslBundle;

/**
 * How the backend 'etcd' reaches its servers. A bean of this type replaces the properties
 * {@code lock.etcd.*}, except the time-out.
 *
 * @since 0.1.0
 */
public interface EtcdConnectionDetails extends ConnectionDetails {

	/**
	 * Return the addresses of the servers.
	 * @return at least one, for example {@code http://localhost:2379}
	 */
	List<String> getEndpoints();

	/**
	 * Return who logs in.
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

	/**
	 * Return how to speak TLS.
	 * @return the bundle; {@code null} for the JVM's own trust if an address begins with
	 * {@code https}, and no TLS otherwise
	 */
	default @Nullable SslBundle getSslBundle() {
		return null;
	}

}
