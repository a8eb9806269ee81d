package org.lockspring.autoconfigure;

import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import org.springframework.beans.BeanUtils;
import org.springframework.boot.docker.compose.core.ConnectionPorts;
import org.springframework.boot.docker.compose.core.ImageReference;
import org.springframework.boot.docker.compose.core.RunningService;
import org.springframework.boot.docker.compose.lifecycle.DockerComposeServicesReadyEvent;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationListener;

/**
 * A service of a compose file that was not started by an engine.
 *
 * @param image its image
 * @param labels its labels
 * @param containerPort the port inside
 * @param port the port of this machine
 */
record LocalService(ImageReference image, Map<String, String> labels, int containerPort,
		int port) implements RunningService, ConnectionPorts {

	private static final String LISTENER = "org.springframework.boot.docker.compose.service.connection"
			+ ".DockerComposeServiceConnectionsApplicationListener";

	LocalService(String image, Map<String, String> labels, int containerPort, int port) {
		this(ImageReference.of(image), labels, containerPort, port);
	}

	/** As Boot does, before a context is refreshed, when all services run. */
	@SuppressWarnings("unchecked")
	void announceTo(ApplicationContext context) {
		try {
			ApplicationListener<DockerComposeServicesReadyEvent> listener = (ApplicationListener<DockerComposeServicesReadyEvent>) BeanUtils
				.instantiateClass(Class.forName(LISTENER));
			listener.onApplicationEvent(BeanUtils.instantiateClass(
					DockerComposeServicesReadyEvent.class.getDeclaredConstructor(ApplicationContext.class, List.class),
					context, List.of(this)));
		}
		catch (ReflectiveOperationException ex) {
			throw new IllegalStateException(ex);
		}
	}

	@Override
	public String name() {
		return "store";
	}

	@Override
	public String host() {
		return "127.0.0.1";
	}

	@Override
	public ConnectionPorts ports() {
		return this;
	}

	@Override
	public Map<String, @Nullable String> env() {
		return Map.of();
	}

	@Override
	public int get(int containerPort) {
		if (containerPort != this.containerPort) {
			throw new IllegalStateException("port " + containerPort + " is not mapped");
		}
		return this.port;
	}

	@Override
	public List<Integer> getAll() {
		return List.of(this.port);
	}

	@Override
	public List<Integer> getAll(@Nullable String protocol) {
		return getAll();
	}

}
