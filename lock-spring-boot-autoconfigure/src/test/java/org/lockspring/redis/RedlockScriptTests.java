package org.lockspring.redis;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.lockspring.redis.RedlockNodeTable.Answer;
import org.lockspring.testing.RedisServer;
import org.lockspring.testing.UsesServer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

/**
 * The shipped scripts do on a real server what the model checker takes for granted.
 */
@UsesServer("redis")
class RedlockScriptTests {

	private static final String ENTRY = "test:{lock}";

	private static final String STATE = "test:redlock";

	private static final long COUNTER = 4_000_000_000_000_000L;

	private static final long VALUE = COUNTER - 5;

	private static final long TOKEN = COUNTER + 7;

	private final RedisServer server = RedisServer.shared();

	@BeforeEach
	void beginEpoch() {
		this.server.flush();
		join(0);
		this.server.command("HSET", STATE, "counter", Long.toString(COUNTER));
	}

	@ParameterizedTest
	@EnumSource
	void acquire(RedlockNodeTable row) {
		String entry = prepare(row);
		long answer = acquire("mine");
		switch (row.acquire()) {
			case GRANT -> {
				assertThat(answer).isEqualTo(COUNTER + 1);
				assertState("mine:" + (COUNTER + 1), COUNTER + 1);
				assertThat(pttl()).isBetween(1L, 10_000L);
			}
			case REPEAT -> {
				assertThat("mine:" + answer).isEqualTo(entry);
				assertState(entry, COUNTER);
				assertThat(pttl()).as("as if asked for the first time").isBetween(9_000L, 10_000L);
			}
			case BUSY -> {
				assertThat(answer).isBetween(-5_000L, -1L);
				assertState(entry, COUNTER);
				assertThat(pttl()).isLessThanOrEqualTo(5_000);
			}
			default -> throw new AssertionError(row.acquire());
		}
	}

	@ParameterizedTest
	@EnumSource
	void raise(RedlockNodeTable row) {
		String entry = prepare(row);
		long answer = raise(VALUE, TOKEN);
		assertThat(answer).isEqualTo((row.raise() == Answer.RAISE) ? 1 : 0);
		assertState(entry, (row.raise() == Answer.RAISE) ? TOKEN : COUNTER);
	}

	@Test
	void raiseNeverLowersTheCounter() {
		prepare(RedlockNodeTable.EXACT);
		assertThat(raise(VALUE, COUNTER - 1)).isOne();
		assertState("mine:" + VALUE, COUNTER);
	}

	@ParameterizedTest
	@EnumSource
	void renew(RedlockNodeTable row) {
		String entry = prepare(row);
		long answer = (long) run(LockScript.RENEW, List.of(ENTRY), "mine:" + VALUE, "10000");
		assertThat(answer > 0).isEqualTo(row.renew() == Answer.REFRESH);
		assertState(entry, COUNTER);
		assertThat(pttl() > 5_000).isEqualTo(row.renew() == Answer.REFRESH);
	}

	@ParameterizedTest
	@EnumSource
	void release(RedlockNodeTable row) {
		String entry = prepare(row);
		long answer = (long) run(LockScript.ABANDON, List.of(ENTRY), "mine", "");
		assertThat(answer > 0).isEqualTo(row.release() == Answer.REMOVE);
		assertState((row.release() == Answer.REMOVE) ? null : entry, COUNTER);
	}

	@Test
	void flushedServerIsQuarantinedAndCountsFromItsClockAfterwards() {
		assertThat(acquire("mine")).isEqualTo(COUNTER + 1);
		long before = micros();
		this.server.flush();
		assertQuarantined();
		await().ignoreException(IllegalStateException.class)
			.untilAsserted(() -> assertThat(acquire("other", 300)).isBetween(before + 300_000, micros() + 1));
	}

	@Test
	void promotedServerIsQuarantined() {
		assertThat(acquire("mine")).isPositive();
		// A replica of nobody that can be reached, and then a master again, without a
		// restart
		this.server.command("REPLICAOF", "127.0.0.1", "1");
		this.server.command("REPLICAOF", "NO", "ONE");
		assertQuarantined();
	}

	@Test
	void raiseAndRepeatAreRefusedInAnotherEpoch() {
		prepare(RedlockNodeTable.EXACT);
		this.server.command("HSET", STATE, "epoch", "another");
		assertThat(raise(VALUE, TOKEN)).isZero();
		assertQuarantined();
	}

	@Test
	void counterOutlivesAnEpochThatBeginsWithALowerClock() {
		this.server.command("HSET", STATE, "epoch", "another");
		assertQuarantined();
		assertThat(this.server.command("HGET", STATE, "counter")).isEqualTo(Long.toString(COUNTER));
	}

	@Test
	void serverKnowsWhichServersItsClientsAsk() {
		assertThatIllegalStateException().isThrownBy(
				() -> run(RedlockScript.ACQUIRE, List.of(ENTRY, STATE), "60000", "d,e,f/2", "mine", "10000", runId()))
			.withMessageContaining("OTHERNODES a,b,c/2");
		assertState(null, COUNTER);
	}

	@Test
	void joinTellsWhatTheServerIs() {
		assertThat(join(-1)).isEqualTo(this.server.info("run_id") + " master known a,b,c/2");
		this.server.flush();
		assertThat(join(-1)).isEqualTo(this.server.info("run_id") + " master new a,b,c/2");
		assertThat(this.server.command("EXISTS", STATE)).as("only looked").isEqualTo(0L);
	}

	private void assertQuarantined() {
		assertThatIllegalStateException().isThrownBy(() -> acquire("other", 300)).withMessageContaining("QUARANTINE");
	}

	private String prepare(RedlockNodeTable row) {
		String entry = switch (row) {
			case NONE -> null;
			case EXACT -> "mine:" + VALUE;
			case SAME_OWNER -> "mine:" + (VALUE - 1);
			case OTHER -> "other:" + VALUE;
		};
		if (entry != null) {
			this.server.command("SET", ENTRY, entry, "PX", "5000");
		}
		return entry;
	}

	private void assertState(String entry, long counter) {
		assertThat(this.server.command("GET", ENTRY)).isEqualTo(entry);
		assertThat(this.server.command("HGET", STATE, "counter")).isEqualTo(Long.toString(counter));
	}

	private long pttl() {
		return (long) this.server.command("PTTL", ENTRY);
	}

	private long micros() {
		List<?> time = (List<?>) this.server.command("TIME");
		return Long.parseLong((String) time.get(0)) * 1_000_000 + Long.parseLong((String) time.get(1));
	}

	private Object join(int quarantine) {
		return run(RedlockScript.JOIN, List.of(STATE), Integer.toString(quarantine), "a,b,c/2");
	}

	private long acquire(String owner) {
		return acquire(owner, 60_000);
	}

	private long acquire(String owner, int quarantine) {
		return (long) run(RedlockScript.ACQUIRE, List.of(ENTRY, STATE), Integer.toString(quarantine), "a,b,c/2", owner,
				"10000", runId());
	}

	private String runId() {
		return this.server.info("run_id");
	}

	private long raise(long value, long token) {
		return (long) run(RedlockScript.RAISE, List.of(ENTRY, STATE), "mine:" + value, Long.toString(token), runId());
	}

	private Object run(Script script, List<String> keys, String... args) {
		List<String> command = new ArrayList<>(
				List.of("EVAL", new String(script.text(), StandardCharsets.UTF_8), Integer.toString(keys.size())));
		command.addAll(keys);
		command.addAll(List.of(args));
		return this.server.command(command.toArray(String[]::new));
	}

}
