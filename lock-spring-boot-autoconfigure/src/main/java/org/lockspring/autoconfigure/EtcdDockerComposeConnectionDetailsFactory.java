package org.lockspring.autoconfigure;

import java.util.List;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.docker.compose.core.RunningService;
import org.springframework.boot.docker.compose.service.connection.DockerComposeConnectionDetailsFactory;
import org.springframework.boot.docker.compose.service.connection.DockerComposeConnectionSource;
import org.springframework.boot.ssl.SslBundle;

/**
 * For a service of a compose file whose image, or label, is etcd.
 */
class EtcdDockerComposeConnectionDetailsFactory extends DockerComposeConnectionDetailsFactory<EtcdConnectionDetails> {

	private static final String[] IMAGES = { "etcd", "coreos/etcd", "etcd-development/etcd" };

	private static final int PORT = 2379;

	EtcdDockerComposeConnectionDetailsFactory() {
		super(IMAGES);
	}

	@Override
	protected EtcdConnectionDetails getDockerComposeConnectionDetails(DockerComposeConnectionSource source) {
		return new EtcdDockerComposeConnectionDetails(source.getRunningService());
	}

	private static final class EtcdDockerComposeConnectionDetails extends DockerComposeConnectionDetails
			implements EtcdConnectionDetails {

		private final String endpoint;

		private final @Nullable SslBundle sslBundle;

		EtcdDockerComposeConnectionDetails(RunningService service) {
			super(service);
			this.sslBundle = getSslBundle(service);
			String scheme = (this.sslBundle != null) ? "https" : "http";
			this.endpoint = "%s://%s:%d".formatted(scheme, service.host(), service.ports().get(PORT));
		}

		@Override
		public List<String> getEndpoints() {
			return List.of(this.endpoint);
		}

		@Override
		public @Nullable SslBundle getSslBundle() {
			return this.sslBundle;
		}

	}

}
