package org.lockspring.redis;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;
import org.springframework.data.redis.connection.ConnectionUtils;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * Sends commands over the application's own connections, one round trip each. Never over
 * a connection that is bound to a transaction.
 */
final class RedisCalls {

	private final LockCommands commands;

	private final @Nullable LettuceCommands lettuce;

	/** What the server has run before, so that its digest is enough. */
	private final Set<LockScript> known = ConcurrentHashMap.newKeySet();

	/** What was sent last for a key without waiting, if it is not answered yet. */
	private final Map<String, CompletableFuture<?>> unanswered = new ConcurrentHashMap<>();

	RedisCalls(RedisConnectionFactory connectionFactory) {
		this.lettuce = ConnectionUtils.isAsync(connectionFactory)
				? LettuceCommands.ifShared(connectionFactory, this.known) : null;
		this.commands = (this.lettuce != null) ? this.lettuce : new ConnectionCommands(connectionFactory);
	}

	/**
	 * {@code SET key value NX PX ttl}.
	 */
	boolean setIfAbsent(String key, String value, long ttlMillis) {
		try {
			return this.commands.setIfAbsent(bytes(key), bytes(value), ttlMillis);
		}
		catch (RuntimeException ex) {
			failed(ex);
			throw ex;
		}
	}

	/**
	 * {@code EVALSHA}, or {@code EVAL} if the server does not know the script.
	 */
	long run(LockScript script, int keys, String... keysAndArgs) {
		return (Long) evaluate(script, keys, bytes(keysAndArgs));
	}

	/**
	 * Do the same with a script that answers a list of numbers.
	 */
	@SuppressWarnings("unchecked")
	List<Long> runList(LockScript script, int keys, List<String> keysAndArgs) {
		return (List<Long>) evaluate(script, keys, bytes(keysAndArgs.toArray(String[]::new)));
	}

	/**
	 * Do the same without waiting for the answer, if the client can.
	 */
	CompletableFuture<Object> send(LockScript script, int keys, String... keysAndArgs) {
		byte[][] bytes = bytes(keysAndArgs);
		try {
			if (this.lettuce != null) {
				return this.lettuce.send(script, keys, bytes);
			}
			return CompletableFuture.completedFuture(evaluate(script, keys, bytes));
		}
		catch (RuntimeException ex) {
			return CompletableFuture.failedFuture(ex);
		}
	}

	/**
	 * Do the same, and remember it until it is answered.
	 */
	CompletableFuture<Object> release(String key, String... args) {
		String[] keyAndArgs = new String[args.length + 1];
		keyAndArgs[0] = key;
		System.arraycopy(args, 0, keyAndArgs, 1, args.length);
		CompletableFuture<Object> answer = send(LockScript.RELEASE, 1, keyAndArgs);
		if (answer.isDone()) {
			return answer;
		}
		this.unanswered.put(key, answer);
		return answer.whenComplete((result, ex) -> this.unanswered.remove(key, answer));
	}

	/**
	 * Wait until what was sent for a key is answered. Answers come in the order of the
	 * requests, except if one had to be sent again: as a whole script, or to another node
	 * of a Cluster.
	 * @return whether there was anything to wait for
	 */
	boolean settle(String key) {
		CompletableFuture<?> answer = this.unanswered.get(key);
		if (answer == null) {
			return false;
		}
		// Bounded by the client's own time-out
		answer.handle((result, ex) -> true).join();
		return true;
	}

	/**
	 * Wait for all answers, briefly.
	 */
	void flush() {
		CompletableFuture.allOf(this.unanswered.values().toArray(CompletableFuture[]::new))
			.handle((result, ex) -> true)
			.completeOnTimeout(false, 1, TimeUnit.SECONDS)
			.join();
	}

	private Object evaluate(LockScript script, int keys, byte[][] keysAndArgs) {
		try {
			if (this.known.contains(script)) {
				try {
					return this.commands.evalSha(script, keys, keysAndArgs);
				}
				catch (RuntimeException ex) {
					if (!RedisFailure.isUnknownScript(ex)) {
						throw ex;
					}
				}
			}
			Object answer = this.commands.eval(script, keys, keysAndArgs);
			this.known.add(script);
			return answer;
		}
		catch (RuntimeException ex) {
			failed(ex);
			throw ex;
		}
	}

	private void failed(RuntimeException failure) {
		if (this.lettuce != null) {
			this.lettuce.failed(failure);
		}
	}

	/**
	 * Take notice of the failure of a part of a request that nobody waits for.
	 */
	void failedUnawaited(RuntimeException failure) {
		if (this.lettuce != null) {
			this.lettuce.failedUnawaited(failure);
		}
	}

	private static byte[][] bytes(String... texts) {
		byte[][] bytes = new byte[texts.length][];
		for (int i = 0; i < bytes.length; i++) {
			bytes[i] = bytes(texts[i]);
		}
		return bytes;
	}

	private static byte[] bytes(String text) {
		return text.getBytes(StandardCharsets.UTF_8);
	}

}
