package org.lockspring.zookeeper;

import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeoutException;

import org.apache.zookeeper.KeeperException;
import org.lockspring.LockUnavailableException;

/**
 * What a failed request means.
 */
final class ZooKeeperFailure {

	private ZooKeeperFailure() {
	}

	static LockUnavailableException translate(Throwable ex, String what, String path, String address) {
		Throwable cause = (ex instanceof CompletionException && ex.getCause() != null) ? ex.getCause() : ex;
		if (cause instanceof KeeperException.NoAuthException || cause instanceof KeeperException.AuthFailedException
				|| cause instanceof KeeperException.InvalidACLException) {
			return new LockUnavailableException(
					("%s: ZooKeeper at %s refused '%s': %s. Set lock.zookeeper.user and lock.zookeeper.password to those "
							+ "that created %s, or let its ACL grant create, read and delete")
						.formatted(what, address, path, cause.getMessage(), NodePaths.PARENT),
					ex, false);
		}
		String reason = (cause instanceof TimeoutException) ? "no answer in time (lock.zookeeper.timeout)"
				: String.valueOf(cause.getMessage());
		return new LockUnavailableException(
				"%s: ZooKeeper at %s did not serve '%s': %s. Check lock.zookeeper.* and the servers".formatted(what,
						address, path, reason),
				ex, true);
	}

}
