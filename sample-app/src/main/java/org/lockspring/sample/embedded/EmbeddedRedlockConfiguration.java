package org.lockspring.sample.embedded;

import java.io.IOException;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.lockspring.autoconfigure.LockRedlockProperties;
import org.lockspring.redis.RedlockBackend;

import org.springframework.boot.autoconfigure.AbstractDependsOnBeanFactoryPostProcessor;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Profile;

/**
 * Servers for the profile {@code redlock}, before anybody connects to them.
 */
@Configuration(proxyBeanMethods = false)
@Profile("redlock")
class EmbeddedRedlockConfiguration {

	private static final Log logger = LogFactory.getLog(EmbeddedRedlockConfiguration.class);

	@Bean
	EmbeddedRedlock embeddedRedlock(LockRedlockProperties properties) throws IOException {
		EmbeddedRedlock servers = new EmbeddedRedlock(properties.nodes());
		logger.info("Redlock servers: " + servers);
		return servers;
	}

	@Bean
	static ServersFirst serversFirst() {
		return new ServersFirst();
	}

	static class ServersFirst extends AbstractDependsOnBeanFactoryPostProcessor {

		ServersFirst() {
			super(RedlockBackend.class, EmbeddedRedlock.class);
		}

	}

}
