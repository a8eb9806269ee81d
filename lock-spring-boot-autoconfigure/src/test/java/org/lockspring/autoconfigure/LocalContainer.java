package org.lockspring.autoconfigure;

import org.testcontainers.containers.GenericContainer;

/**
 * A container that is none: a server of this machine takes its place, so that no engine
 * is needed.
 */
final class LocalContainer extends GenericContainer<LocalContainer> {

	private final String image;

	private final int containerPort;

	private final int port;

	LocalContainer(String image, int containerPort, int port) {
		super(image);
		this.image = image;
		this.containerPort = containerPort;
		this.port = port;
	}

	@Override
	public String getDockerImageName() {
		return this.image;
	}

	@Override
	public void start() {
	}

	@Override
	public void stop() {
	}

	@Override
	public String getHost() {
		return "127.0.0.1";
	}

	@Override
	public Integer getMappedPort(int originalPort) {
		if (originalPort != this.containerPort) {
			throw new IllegalArgumentException("port " + originalPort + " is not mapped");
		}
		return this.port;
	}

}
