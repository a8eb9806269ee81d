package org.lockspring.faults.store;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

import org.lockspring.faults.worker.Workers;
import org.lockspring.testing.FaultProxy;
import org.lockspring.testing.PostgresServer;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.JdbcTemplate;

/**
 * The database of the resources. The locks reach it on a way of their own.
 */
final class JdbcStore implements Store {

	private static final Duration RECOVERY = Duration.ofSeconds(60);

	private final JdbcTemplate jdbc;

	private final String database;

	private final List<FaultProxy> links = IntStream.range(0, Workers.SIZE)
		.mapToObj((worker) -> FaultProxy.to("127.0.0.1", PostgresServer.port()))
		.toList();

	JdbcStore(JdbcTemplate jdbc, String database) {
		this.jdbc = jdbc;
		this.database = database;
	}

	@Override
	public Map<String, String> properties(int worker) {
		return Map.of("faults.lock-url",
				"jdbc:postgresql://127.0.0.1:%d/%s?connectTimeout=1&socketTimeout=2&cancelSignalTimeout=1"
					.formatted(this.links.get(worker).port(), this.database),
				"lock.jdbc.timeout", "1s", "lock.jdbc.initialize-schema", "never");
	}

	@Override
	public List<FaultProxy> links() {
		return this.links;
	}

	@Override
	public void pause(int server) {
		PostgresServer.pause();
	}

	@Override
	public void resume(int server) {
		PostgresServer.resume();
	}

	@Override
	public void kill(int server) {
		PostgresServer.crash();
	}

	/** It comes back by itself, with all that was committed. */
	@Override
	public void restart(int server, Memory memory) {
		String last = (memory == Memory.NOTHING) ? "DELETE FROM lock_entry" : "SELECT 1";
		long start = System.nanoTime();
		while (true) {
			try {
				this.jdbc.execute(last);
				return;
			}
			catch (DataAccessException ex) {
				// In recovery still
				if (System.nanoTime() - start > RECOVERY.toNanos()) {
					throw ex;
				}
			}
		}
	}

	@Override
	public List<String> entries(String run) {
		return this.jdbc.queryForList("""
				SELECT name FROM lock_entry WHERE strpos(name, ?) > 0
				AND expires_at > extract(epoch FROM clock_timestamp()) * 1000000""", String.class, run + "/");
	}

	@Override
	public void close() {
		this.links.forEach(FaultProxy::close);
	}

}
