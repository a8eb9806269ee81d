package org.lockspring.autoconfigure;

import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;

import javax.net.ssl.SSLException;

import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.Client;
import io.etcd.jetcd.ClientBuilder;
import io.grpc.netty.GrpcSslContexts;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import org.jspecify.annotations.Nullable;
import org.lockspring.etcd.EtcdLockBackend;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.autoconfigure.condition.AnyNestedCondition;
import org.springframework.boot.autoconfigure.condition.ConditionMessage;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.OnPropertyListCondition;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.boot.ssl.SslOptions;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.util.StringUtils;

/**
 * Only with an address: etcd is no guess.
 */
@Configuration(proxyBeanMethods = false)
@ConditionalOnClass(Client.class)
@Conditional(EtcdLockConfiguration.OnAddress.class)
@EnableConfigurationProperties(LockEtcdProperties.class)
class EtcdLockConfiguration {

	@Bean
	@ConditionalOnMissingBean(EtcdConnectionDetails.class)
	PropertiesEtcdConnectionDetails etcdConnectionDetails(LockEtcdProperties properties,
			ObjectProvider<SslBundles> bundles) {
		String bundle = properties.ssl().bundle();
		return new PropertiesEtcdConnectionDetails(properties,
				StringUtils.hasText(bundle) ? bundles.getObject().getBundle(bundle) : null);
	}

	/**
	 * Not for others: its time-outs are those of locks.
	 */
	@Bean(defaultCandidate = false)
	@ConditionalOnMissingBean(name = "lockEtcdClient")
	Client lockEtcdClient(EtcdConnectionDetails details, LockEtcdProperties properties) throws SSLException {
		List<URI> endpoints = details.getEndpoints().stream().map(EtcdLockConfiguration::uri).toList();
		ClientBuilder builder = EtcdLockBackend.clientBuilder(properties.timeout()).endpoints(endpoints);
		if (StringUtils.hasText(details.getUser()) && details.getPassword() != null) {
			builder.user(bytes(details.getUser())).password(bytes(details.getPassword()));
		}
		SslBundle bundle = details.getSslBundle();
		if (bundle != null || endpoints.stream().anyMatch((endpoint) -> "https".equals(endpoint.getScheme()))) {
			builder.sslContext(sslContext(bundle).build());
		}
		return builder.build();
	}

	/**
	 * With the JDK's TLS: what a bundle says means the same as elsewhere, whatever native
	 * library happens to be on the class path.
	 */
	private static SslContextBuilder sslContext(@Nullable SslBundle bundle) {
		SslContextBuilder builder = GrpcSslContexts.configure(SslContextBuilder.forClient(), SslProvider.JDK);
		if (bundle != null) {
			builder.keyManager(bundle.getManagers().getKeyManagerFactory())
				.trustManager(bundle.getManagers().getTrustManagerFactory());
			SslOptions options = bundle.getOptions();
			if (options.getEnabledProtocols() != null) {
				builder.protocols(options.getEnabledProtocols());
			}
			if (options.getCiphers() != null) {
				builder.ciphers(List.of(options.getCiphers()));
			}
		}
		return builder;
	}

	private static URI uri(String endpoint) {
		return URI.create(endpoint.contains("://") ? endpoint : "http://" + endpoint);
	}

	private static ByteSequence bytes(String text) {
		return ByteSequence.from(text, StandardCharsets.UTF_8);
	}

	@Bean
	@ConditionalOnMissingBean
	EtcdLockBackend etcdLockBackend(@Qualifier("lockEtcdClient") Client client, EtcdConnectionDetails details,
			LockEtcdProperties properties) {
		return new EtcdLockBackend(client, properties.timeout(), String.join(",", details.getEndpoints()));
	}

	static class OnAddress extends AnyNestedCondition {

		OnAddress() {
			super(ConfigurationPhase.REGISTER_BEAN);
		}

		@Conditional(OnEndpoints.class)
		static class FromProperties {

		}

		@ConditionalOnBean(EtcdConnectionDetails.class)
		static class FromBean {

		}

	}

	static class OnEndpoints extends OnPropertyListCondition {

		OnEndpoints() {
			super("lock.etcd.endpoints", () -> ConditionMessage.forCondition("etcd endpoints"));
		}

	}

}
