package org.lockspring.autoconfigure;

import java.util.List;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SslOptions;
import org.jspecify.annotations.Nullable;
import org.lockspring.InvalidLockDefinitionException;
import org.lockspring.core.LockSettings;
import org.lockspring.redis.RedlockBackend;
import org.lockspring.redis.RedlockSettings;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.condition.ConditionMessage;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.OnPropertyListCondition;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.util.StringUtils;

/**
 * Connections of its own, never the application's: those are to one Redis.
 */
@Configuration(proxyBeanMethods = false)
@ConditionalOnClass(RedisClient.class)
@Conditional(RedlockConfiguration.OnNodes.class)
@EnableConfigurationProperties(LockRedlockProperties.class)
class RedlockConfiguration {

	@Bean
	@ConditionalOnMissingBean
	RedlockBackend redlockBackend(LockRedlockProperties properties, LockSettings settings,
			ObjectProvider<SslBundles> sslBundles) {
		String bundle = properties.ssl().bundle();
		List<RedisURI> nodes = properties.nodes().stream().map((uri) -> node(uri, bundle != null)).toList();
		RedlockSettings defaults = new RedlockSettings(nodes, settings.namespace());
		Integer quorum = properties.quorum();
		return new RedlockBackend(
				new RedlockSettings(nodes, (quorum != null) ? quorum : defaults.quorum(), properties.nodeTimeout(),
						properties.quarantine(), properties.bootstrap(), properties.confirm(), settings.namespace()),
				ssl(bundle, sslBundles));
	}

	private static RedisURI node(String uri, boolean ssl) {
		try {
			RedisURI node = RedisURI.create(uri);
			return ssl ? RedisURI.builder(node).withSsl(true).build() : node;
		}
		catch (IllegalArgumentException ex) {
			// Without the text: it may hold a password
			throw new InvalidLockDefinitionException("lock.redlock.nodes", "one of the URIs cannot be understood",
					"Write each as redis://user:password@host:port or rediss://host:port");
		}
	}

	private static @Nullable SslOptions ssl(@Nullable String name, ObjectProvider<SslBundles> sslBundles) {
		if (!StringUtils.hasText(name)) {
			return null;
		}
		SslBundle bundle = sslBundles.getObject().getBundle(name);
		SslOptions.Builder options = SslOptions.builder()
			.keyManager(bundle.getManagers().getKeyManagerFactory())
			.trustManager(bundle.getManagers().getTrustManagerFactory());
		String[] ciphers = bundle.getOptions().getCiphers();
		if (ciphers != null) {
			options.cipherSuites(ciphers);
		}
		String[] protocols = bundle.getOptions().getEnabledProtocols();
		if (protocols != null) {
			options.protocols(protocols);
		}
		return options.build();
	}

	static class OnNodes extends OnPropertyListCondition {

		OnNodes() {
			super("lock.redlock.nodes", () -> ConditionMessage.forCondition("Redlock servers"));
		}

	}

}
