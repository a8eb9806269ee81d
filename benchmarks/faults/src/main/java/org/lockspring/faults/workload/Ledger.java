package org.lockspring.faults.workload;

import java.util.List;

import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.stereotype.Component;
import org.springframework.transaction.annotation.Transactional;

/**
 * Values in PostgreSQL that are read, and written back after a while: an update is lost
 * whenever two do so at once. Nothing here knows of the library's fence.
 */
@Component
public class Ledger {

	private final JdbcTemplate jdbc;

	/**
	 * Create a ledger.
	 * @param jdbc the application's
	 */
	public Ledger(JdbcTemplate jdbc) {
		this.jdbc = jdbc;
	}

	/**
	 * Add one.
	 * @param key what
	 * @param holding the lock
	 * @param step how
	 * @throws InterruptedException if the body is interrupted
	 */
	@Transactional
	public void increment(String key, Holding holding, Step step) throws InterruptedException {
		Long token = holding.token(key);
		step.guard().beforeRead(this.jdbc, key, token);
		long value = read(key);
		step.pause();
		step.guard().beforeWrite(this.jdbc, key, token);
		write(key, token, step, value, value + 1);
	}

	/**
	 * Move money from the first to the second.
	 * @param keys which accounts
	 * @param holding their locks
	 * @param step how
	 * @throws InterruptedException if the body is interrupted
	 */
	@Transactional
	public void transfer(List<String> keys, Holding holding, Step step) throws InterruptedException {
		// In one order: rows are no reason for a deadlock
		List<String> sorted = keys.stream().sorted().toList();
		sorted.forEach((key) -> step.guard().beforeRead(this.jdbc, key, holding.token(key)));
		long[] values = sorted.stream().mapToLong(this::read).toArray();
		step.pause();
		long amount = 1L + step.random().nextInt(9);
		for (int i = 0; i < sorted.size(); i++) {
			String key = sorted.get(i);
			long change = key.equals(keys.get(0)) ? -amount : amount;
			step.guard().beforeWrite(this.jdbc, key, holding.token(key));
			write(key, holding.token(key), step, values[i], values[i] + change);
		}
	}

	private long read(String key) {
		Long value = this.jdbc.queryForObject("SELECT value FROM resource WHERE key = ?", Long.class, key);
		return (value != null) ? value : 0;
	}

	/**
	 * The row of the value is locked until the commit, so what is remembered after it is
	 * in the order of the commits.
	 */
	private void write(String key, @Nullable Long token, Step step, long was, long becomes) {
		this.jdbc.update("UPDATE resource SET value = ? WHERE key = ?", becomes, key);
		this.jdbc.update("INSERT INTO accepted (key, operation, token, was, became) VALUES (?, ?, ?, ?, ?)", key,
				step.operation(), token, was, becomes);
	}

}
