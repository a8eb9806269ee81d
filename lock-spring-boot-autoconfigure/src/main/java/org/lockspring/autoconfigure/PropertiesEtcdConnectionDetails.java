package org.lockspring.autoconfigure;

import java.util.List;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.ssl.SslBundle;

record PropertiesEtcdConnectionDetails(LockEtcdProperties properties,
		@Nullable SslBundle bundle) implements EtcdConnectionDetails {

	@Override
	public List<String> getEndpoints() {
		return this.properties.endpoints();
	}

	@Override
	public @Nullable String getUser() {
		return this.properties.user();
	}

	@Override
	public @Nullable String getPassword() {
		return this.properties.password();
	}

	@Override
	public @Nullable SslBundle getSslBundle() {
		return this.bundle;
	}

}
