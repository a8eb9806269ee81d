package org.lockspring.redis;

import java.util.Arrays;
import java.util.concurrent.TimeoutException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.lockspring.LockUnavailableException;

import org.springframework.core.NestedExceptionUtils;

/**
 * What a failed command means. Error codes as in the Redis documentation; an error inside
 * a script carries its code in the middle of the text on older servers.
 */
enum RedisFailure {

	/** The user may not run a command, or touch a key. */
	NO_RIGHTS("NOPERM|can't run this command|can't access at least one",
			"Give the Redis user the commands SET, GET, DEL, PEXPIRE, PTTL, TIME, EVAL and EVALSHA on the keys of "
					+ "lock.namespace, and PUBLISH, SUBSCRIBE and UNSUBSCRIBE on its channels (in a Cluster SPUBLISH, "
					+ "SSUBSCRIBE and SUNSUBSCRIBE)"),

	/** Nobody logged in, or with the wrong password. */
	NO_LOGIN("NOAUTH|WRONGPASS", "Set spring.data.redis.username and spring.data.redis.password"),

	/** The name is taken by something that is not ours. */
	WRONG_TYPE("WRONGTYPE",
			"Something else uses this name: set lock.namespace to a prefix of your own, or remove the key"),

	/** The server lets nobody run scripts. */
	NO_SCRIPTS("unknown command ['`]?(?:EVAL|EVALSHA)",
			"This server does not allow scripts, which the lock needs: allow EVAL and EVALSHA"),

	/** A Redlock server is asked by clients with another list of servers. */
	OTHER_NODES("OTHERNODES", "Name the same servers in the same way in every application");

	private static final Pattern UNKNOWN_SCRIPT = Pattern.compile("^NOSCRIPT");

	private static final Pattern UNKNOWN_COMMAND = Pattern.compile("^ERR unknown command");

	private static final Pattern READ_ONLY = Pattern.compile("READONLY You can't write");

	private static final Pattern OTHER_SLOT = Pattern.compile("CROSSSLOT|(?:same|different) (?:hash)?slot");

	private static final Pattern ANSWER = Pattern
		.compile("^(?:ERR|WRONGTYPE|WRONGPASS|NOAUTH|NOPERM|NOSCRIPT|READONLY|LOADING|MASTERDOWN|CLUSTERDOWN"
				+ "|TRYAGAIN|CROSSSLOT|MOVED|ASK|BUSY|MISCONF|NOREPLICAS|OOM) ");

	private final Pattern pattern;

	private final String remedy;

	RedisFailure(String regex, String remedy) {
		this.pattern = Pattern.compile(regex, Pattern.CASE_INSENSITIVE);
		this.remedy = remedy;
	}

	static boolean isUnknownScript(Throwable ex) {
		return find(ex, UNKNOWN_SCRIPT);
	}

	static boolean isUnknownCommand(Throwable ex) {
		return find(ex, UNKNOWN_COMMAND);
	}

	/**
	 * Whether the server is a replica that takes no writes.
	 */
	static boolean isReadOnly(Throwable ex) {
		return find(ex, READ_ONLY);
	}

	/**
	 * Whether the keys of one request belong to different nodes of a Cluster.
	 */
	static boolean isCrossSlot(Throwable ex) {
		return find(ex, OTHER_SLOT);
	}

	/**
	 * Whether the user may not do it.
	 */
	static boolean isRefused(Throwable ex) {
		return find(ex, NO_RIGHTS.pattern);
	}

	/**
	 * Whether the server answered with an error, so that nothing was done.
	 */
	static boolean isAnswered(Throwable ex) {
		return find(ex, ANSWER);
	}

	/**
	 * Whether somebody has to change something before it can succeed.
	 */
	static boolean isPermanent(Throwable ex) {
		return Arrays.stream(values()).anyMatch((failure) -> find(ex, failure.pattern));
	}

	/**
	 * The reason in the fewest words.
	 */
	static String describe(Throwable ex) {
		Throwable root = NestedExceptionUtils.getMostSpecificCause(ex);
		return (root instanceof TimeoutException) ? "no answer in time" : rootMessage(root);
	}

	/**
	 * Translate.
	 * @param ex what the client reported
	 * @param what what was tried, a clause that names the lock
	 * @param key the key in Redis
	 * @param address where Redis is
	 * @return the exception to throw
	 */
	static LockUnavailableException translate(Throwable ex, String what, String key, String address) {
		String reason = rootMessage(ex);
		for (RedisFailure failure : values()) {
			if (find(ex, failure.pattern)) {
				return new LockUnavailableException("%s: Redis at %s refused key '%s': %s. %s".formatted(what, address,
						key, reason, failure.remedy), ex, false);
			}
		}
		return new LockUnavailableException(
				"%s: Redis at %s did not serve key '%s': %s. Check spring.data.redis.* and the server".formatted(what,
						address, key, reason),
				ex, true);
	}

	private static boolean find(Throwable ex, Pattern pattern) {
		for (Throwable cause = ex; cause != null; cause = cause.getCause()) {
			String message = cause.getMessage();
			if (message != null) {
				Matcher matcher = pattern.matcher(message);
				if (matcher.find()) {
					return true;
				}
			}
		}
		return false;
	}

	private static String rootMessage(Throwable ex) {
		Throwable root = NestedExceptionUtils.getMostSpecificCause(ex);
		String message = root.getMessage();
		return (message != null) ? message : root.getClass().getSimpleName();
	}

}
