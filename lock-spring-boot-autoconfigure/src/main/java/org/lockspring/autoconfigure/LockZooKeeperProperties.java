package org.lockspring.autoconfigure;

import java.time.Duration;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Properties of the backend 'zookeeper'.
 *
 * @param connectString Addresses of the servers, for example 'zk-1:2181,zk-2:2181/path'.
 * @param sessionTimeout How long a crashed process blocks others. The servers may allow
 * less or more.
 * @param timeout Time to wait for an answer.
 * @param user User of the scheme 'digest'. Then only this user has access to the locks.
 * @param password Password of the user.
 * @since 0.1.0
 */
@ConfigurationProperties("lock.zookeeper")
public record LockZooKeeperProperties(@Nullable String connectString, @DefaultValue("15s") Duration sessionTimeout,
		@DefaultValue("2s") Duration timeout, @Nullable String user, @Nullable String password) {

}
