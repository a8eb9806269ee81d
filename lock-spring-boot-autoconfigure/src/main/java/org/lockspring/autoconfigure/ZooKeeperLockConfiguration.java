package org.lockspring.autoconfigure;

import java.nio.charset.StandardCharsets;
import java.util.List;

import org.apache.curator.framework.AuthInfo;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.api.ACLProvider;
import org.apache.curator.retry.RetryOneTime;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.data.ACL;
import org.lockspring.zookeeper.ZooKeeperLockBackend;
import org.springframework.boot.autoconfigure.condition.AnyNestedCondition;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.util.StringUtils;

/**
 * Only with an address, or by name with a client that the application has anyway.
 */
@Configuration(proxyBeanMethods = false)
@ConditionalOnClass(CuratorFramework.class)
@Conditional(ZooKeeperLockConfiguration.OnAddressOrName.class)
@EnableConfigurationProperties(LockZooKeeperProperties.class)
class ZooKeeperLockConfiguration {

	@Bean
	@ConditionalOnSingleCandidate(CuratorFramework.class)
	@ConditionalOnMissingBean
	ZooKeeperLockBackend zooKeeperLockBackend(CuratorFramework client, LockZooKeeperProperties properties) {
		return new ZooKeeperLockBackend(client, properties.timeout());
	}

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnMissingBean(CuratorFramework.class)
	@Conditional(OnAddress.class)
	static class Connection {

		@Bean
		@ConditionalOnMissingBean(ZooKeeperConnectionDetails.class)
		PropertiesZooKeeperConnectionDetails zooKeeperConnectionDetails(LockZooKeeperProperties properties) {
			return new PropertiesZooKeeperConnectionDetails(properties);
		}

		@Bean(initMethod = "start")
		CuratorFramework lockCuratorFramework(ZooKeeperConnectionDetails details, LockZooKeeperProperties properties) {
			int pause = 100;
			CuratorFrameworkFactory.Builder builder = CuratorFrameworkFactory.builder()
				.connectString(details.getConnectString())
				.sessionTimeoutMs(Math.toIntExact(properties.sessionTimeout().toMillis()))
				.connectionTimeoutMs(Math.toIntExact(properties.timeout().toMillis()))
				.retryPolicy(new RetryOneTime(pause));
			if (StringUtils.hasText(details.getUser())) {
				byte[] login = (details.getUser() + ":" + details.getPassword()).getBytes(StandardCharsets.UTF_8);
				builder.authorization(List.of(new AuthInfo("digest", login))).aclProvider(new OnlyOurs());
			}
			return builder.build();
		}

	}

	private static final class OnlyOurs implements ACLProvider {

		@Override
		public List<ACL> getDefaultAcl() {
			return ZooDefs.Ids.CREATOR_ALL_ACL;
		}

		@Override
		public List<ACL> getAclForPath(String path) {
			return getDefaultAcl();
		}

	}

	static class OnAddress extends AnyNestedCondition {

		OnAddress() {
			super(ConfigurationPhase.REGISTER_BEAN);
		}

		@ConditionalOnProperty("lock.zookeeper.connect-string")
		static class FromProperties {

		}

		@ConditionalOnBean(ZooKeeperConnectionDetails.class)
		static class FromBean {

		}

	}

	static class OnAddressOrName extends AnyNestedCondition {

		OnAddressOrName() {
			super(ConfigurationPhase.REGISTER_BEAN);
		}

		@Conditional(OnAddress.class)
		static class Address {

		}

		@ConditionalOnProperty(name = "lock.efficiency.backend", havingValue = "zookeeper")
		static class ForEfficiency {

		}

		@ConditionalOnProperty(name = "lock.correctness.backend", havingValue = "zookeeper")
		static class ForCorrectness {

		}

	}

}
