package org.lockspring.autoconfigure;

import java.util.List;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.testcontainers.service.connection.ContainerConnectionDetailsFactory;
import org.springframework.boot.testcontainers.service.connection.ContainerConnectionSource;
import org.testcontainers.containers.Container;

/**
 * For a {@code @ServiceConnection} on a container whose image, or the name given there,
 * is etcd.
 */
class EtcdContainerConnectionDetailsFactory
		extends ContainerConnectionDetailsFactory<Container<?>, EtcdConnectionDetails> {

	private static final List<String> IMAGES = List.of("etcd", "coreos/etcd", "etcd-development/etcd");

	private static final int PORT = 2379;

	EtcdContainerConnectionDetailsFactory() {
		super(IMAGES);
	}

	@Override
	protected EtcdConnectionDetails getContainerConnectionDetails(ContainerConnectionSource<Container<?>> source) {
		return new EtcdContainerConnectionDetails(source);
	}

	private static final class EtcdContainerConnectionDetails extends ContainerConnectionDetails<Container<?>>
			implements EtcdConnectionDetails {

		EtcdContainerConnectionDetails(ContainerConnectionSource<Container<?>> source) {
			super(source);
		}

		@Override
		public List<String> getEndpoints() {
			Container<?> container = getContainer();
			String scheme = (getSslBundle() != null) ? "https" : "http";
			return List.of("%s://%s:%d".formatted(scheme, container.getHost(), container.getMappedPort(PORT)));
		}

		@Override
		public @Nullable SslBundle getSslBundle() {
			return super.getSslBundle();
		}

	}

}
