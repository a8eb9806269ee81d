package org.lockspring.autoconfigure;

import java.util.List;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;
import org.lockspring.redis.RedisLockBackend;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails.Node;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.redis.connection.RedisConnectionFactory;

@Configuration(proxyBeanMethods = false)
@ConditionalOnClass({ RedisConnectionFactory.class, DataRedisConnectionDetails.class })
@ConditionalOnSingleCandidate(RedisConnectionFactory.class)
class RedisLockConfiguration {

	@Bean
	@ConditionalOnMissingBean
	RedisLockBackend redisLockBackend(RedisConnectionFactory connectionFactory, LockProperties properties,
			ObjectProvider<DataRedisConnectionDetails> connectionDetails) {
		return new RedisLockBackend(connectionFactory, properties.redis().fenceRetention(),
				address(connectionDetails.getIfUnique()));
	}

	private static String address(@Nullable DataRedisConnectionDetails details) {
		if (details == null) {
			return "the application's RedisConnectionFactory";
		}
		if (details.getSentinel() != null) {
			return "sentinel " + nodes(details.getSentinel().getNodes());
		}
		if (details.getCluster() != null) {
			return "cluster " + nodes(details.getCluster().getNodes());
		}
		if (details.getMasterReplica() != null) {
			return nodes(details.getMasterReplica().getNodes());
		}
		DataRedisConnectionDetails.Standalone standalone = details.getStandalone();
		return (standalone != null) ? standalone.getHost() + ":" + standalone.getPort() : "an unknown address";
	}

	private static String nodes(List<Node> nodes) {
		return nodes.stream().map((node) -> node.host() + ":" + node.port()).collect(Collectors.joining(","));
	}

}
