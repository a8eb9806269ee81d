package org.lockspring.faults.workload;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Random;

import org.jspecify.annotations.Nullable;
import org.lockspring.testing.RespConnection;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.stereotype.Component;

/**
 * A value in a Redis that checks tokens itself: claimed before it is read, checked in the
 * script that writes. Who has no token is not checked.
 */
@Component
public class Register implements Workload {

	private static final String CHECK = """
			local last = tonumber(redis.call('HGET', KEYS[1], 'token') or 0)
			local token = tonumber(ARGV[1])
			if token and (token < last or token == last and redis.call('HGET', KEYS[1], 'owner') ~= ARGV[2]) then
			  return 'REFUSED'
			end
			if token then
			  redis.call('HSET', KEYS[1], 'token', ARGV[1], 'owner', ARGV[2])
			end
			""";

	private static final String READ = CHECK + "return redis.call('HGET', KEYS[1], 'value') or '0'";

	private static final String WRITE = CHECK + """
			redis.call('HSET', KEYS[1], 'value', ARGV[4])
			redis.call('RPUSH', KEYS[2], table.concat({ARGV[2], ARGV[1], ARGV[3], ARGV[4]}, ' '))
			return 'OK'
			""";

	private final int port;

	private @Nullable RespConnection connection;

	/**
	 * Create a workload.
	 * @param port where the value is, which is not where the locks are
	 */
	public Register(@Value("${faults.register-port}") int port) {
		this.port = port;
	}

	@Override
	public String name() {
		return "register";
	}

	@Override
	public List<String> locks(int thread, Random random) {
		return List.of("register");
	}

	@Override
	public void run(List<String> keys, Holding holding, Step step) throws Exception {
		String key = keys.get(0);
		String token = Objects.toString(holding.token(key), "");
		long value = Long.parseLong(call(READ, key, token, step.operation()));
		step.pause();
		call(WRITE, key, token, step.operation(), Long.toString(value), Long.toString(value + 1));
	}

	private String call(String script, String key, String token, String operation, String... values) {
		RespConnection open = this.connection;
		if (open == null) {
			open = new RespConnection("127.0.0.1", this.port, Duration.ofSeconds(10));
			this.connection = open;
		}
		String[] command = new String[7 + values.length];
		System.arraycopy(new String[] { "EVAL", script, "2", key, key + ":log", token, operation }, 0, command, 0, 7);
		System.arraycopy(values, 0, command, 7, values.length);
		String answer = String.valueOf(open.command(command));
		if (answer.equals("REFUSED")) {
			throw new RefusedException("Token " + token + " of '" + key + "' is old");
		}
		return answer;
	}

}
