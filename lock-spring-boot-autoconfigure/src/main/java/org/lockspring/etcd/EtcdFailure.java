package org.lockspring.etcd;

import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeoutException;
import java.util.regex.Pattern;

import io.grpc.Status;
import org.jspecify.annotations.Nullable;
import org.lockspring.LockUnavailableException;

/**
 * What a failed request means. The messages are those of etcd's own client.
 */
enum EtcdFailure {

	/** The user may not touch a key. */
	NO_RIGHTS("permission denied",
			"Grant the etcd user a role with readwrite permission on the prefix that is lock.namespace"),

	/** Nobody logged in, or with the wrong password. */
	NO_LOGIN("authentication failed|user name is empty|user name not found|authentication is not enabled",
			"Set lock.etcd.user and lock.etcd.password, or remove them if etcd knows no users");

	private final Pattern pattern;

	private final String remedy;

	EtcdFailure(String regex, String remedy) {
		this.pattern = Pattern.compile(regex);
		this.remedy = remedy;
	}

	static boolean isNotFound(Throwable ex) {
		return Status.fromThrowable(ex).getCode() == Status.Code.NOT_FOUND;
	}

	/**
	 * Translate.
	 * @param ex what the client reported
	 * @param what what was tried, a clause that names the lock
	 * @param key the key in etcd
	 * @param endpoints where etcd is
	 * @return the exception to throw
	 */
	static LockUnavailableException translate(Throwable ex, String what, String key, String endpoints) {
		String reason = reason(ex);
		for (EtcdFailure failure : values()) {
			if (failure.pattern.matcher(reason).find()) {
				return new LockUnavailableException("%s: etcd at %s refused key '%s': %s. %s".formatted(what, endpoints,
						key, reason, failure.remedy), ex, false);
			}
		}
		return new LockUnavailableException(
				"%s: etcd at %s did not serve key '%s': %s. Check lock.etcd.* and the servers".formatted(what,
						endpoints, key, reason),
				ex, true);
	}

	private static String reason(Throwable ex) {
		StringBuilder reason = new StringBuilder();
		for (@Nullable
		Throwable cause = ex; cause != null; cause = cause.getCause()) {
			String message = (cause instanceof TimeoutException) ? "no answer in time (lock.etcd.timeout)"
					: cause.getMessage();
			if (message == null) {
				message = cause.getClass().getSimpleName();
			}
			if (reason.indexOf(message) < 0 && !message.startsWith(cause.getClass().getName())
					&& !(cause instanceof CompletionException)) {
				reason.append(reason.isEmpty() ? "" : ": ").append(message);
			}
		}
		return reason.toString();
	}

}
