package org.lockspring.autoconfigure;

import org.jspecify.annotations.Nullable;
import org.springframework.util.Assert;

record PropertiesZooKeeperConnectionDetails(LockZooKeeperProperties properties) implements ZooKeeperConnectionDetails {

	@Override
	public String getConnectString() {
		String connectString = this.properties.connectString();
		Assert.state(connectString != null, "lock.zookeeper.connect-string is not set");
		return connectString;
	}

	@Override
	public @Nullable String getUser() {
		return this.properties.user();
	}

	@Override
	public @Nullable String getPassword() {
		return this.properties.password();
	}

}
