package org.lockspring.autoconfigure;

import java.time.Duration;
import java.util.List;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Properties of the backend 'etcd'.
 *
 * @param endpoints Addresses of the servers, for example 'http://etcd-1:2379'.
 * @param user User to log in as. No login if it is not set.
 * @param password Password of the user.
 * @param timeout Time to wait for an answer.
 * @param ssl Settings of TLS.
 * @since 0.1.0
 */
@ConfigurationProperties("lock.etcd")
public record LockEtcdProperties(@DefaultValue List<String> endpoints, @Nullable String user, @Nullable String password,
		@DefaultValue("2s") Duration timeout, @DefaultValue Ssl ssl) {

	/**
	 * Settings of TLS.
	 *
	 * @param bundle Name of the SSL bundle. Without one, an https endpoint is trusted as
	 * the JVM trusts.
	 */
	public record Ssl(@Nullable String bundle) {

	}

}
