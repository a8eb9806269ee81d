package org.lockspring.faults.resource;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;

import org.lockspring.faults.history.Accepted;
import org.lockspring.faults.history.Resource;
import org.lockspring.faults.workload.Counter;
import org.lockspring.faults.workload.Transfers;
import org.lockspring.testing.PostgresServer;
import org.lockspring.testing.RedisServer;
import org.postgresql.ds.PGSimpleDataSource;
import org.springframework.core.io.ByteArrayResource;
import org.springframework.core.io.ClassPathResource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.init.ResourceDatabasePopulator;

/**
 * A PostgreSQL and a Redis that nobody harms, and that remember every write which they
 * accepted.
 */
public final class Resources implements AutoCloseable {

	private static final int MONEY = 1000;

	private static final String SCHEMA = """
			CREATE TABLE resource (key VARCHAR(200) PRIMARY KEY, value BIGINT NOT NULL);
			CREATE TABLE control_fence (key VARCHAR(200) PRIMARY KEY, token BIGINT NOT NULL);
			CREATE TABLE accepted (seq BIGSERIAL PRIMARY KEY, key VARCHAR(200) NOT NULL, operation VARCHAR(100) NOT NULL,
				token BIGINT, was BIGINT NOT NULL, became BIGINT NOT NULL);
			CREATE INDEX ON accepted (key);
			""";

	private final PGSimpleDataSource dataSource = PostgresServer.freshDatabase();

	private final JdbcTemplate jdbc = new JdbcTemplate(this.dataSource);

	private final RedisServer register = RedisServer.start();

	/** Start both, and create tables, also those of the library. */
	public Resources() {
		new ResourceDatabasePopulator(new ClassPathResource("org/lockspring/jdbc/schema-fence-postgresql.sql"),
				new ClassPathResource("org/lockspring/jdbc/schema-lock-postgresql.sql"),
				new ByteArrayResource(SCHEMA.getBytes(StandardCharsets.UTF_8)))
			.execute(this.dataSource);
	}

	/**
	 * Return a way to the database.
	 * @return a template without a pool
	 */
	public JdbcTemplate jdbc() {
		return this.jdbc;
	}

	/**
	 * Return the name of the database.
	 * @return its name
	 */
	public String database() {
		return Objects.requireNonNull(this.dataSource.getDatabaseName());
	}

	/**
	 * Return what an application sets to use them.
	 * @return properties
	 */
	public Map<String, String> properties() {
		return Map.of("spring.datasource.url",
				"jdbc:postgresql://127.0.0.1:%d/%s".formatted(PostgresServer.port(), database()),
				"spring.datasource.username", "postgres", "spring.datasource.password", "postgres",
				"faults.register-port", String.valueOf(this.register.port()));
	}

	/**
	 * Create what one run uses.
	 * @param run its name
	 */
	public void create(String run) {
		for (String name : names()) {
			this.jdbc.update("INSERT INTO resource (key, value) VALUES (?, ?)", run + "/" + name, initial(name));
			this.jdbc.update("INSERT INTO control_fence (key, token) VALUES (?, 0)", run + "/" + name);
		}
	}

	private static List<String> names() {
		List<String> names = new ArrayList<>();
		for (int i = 0; i < Counter.COUNTERS; i++) {
			names.add("counter-" + i);
		}
		for (int i = 0; i < Transfers.ACCOUNTS; i++) {
			names.add("account-" + i);
		}
		return names;
	}

	private static long initial(String name) {
		return name.startsWith("account") ? MONEY : 0;
	}

	/**
	 * Return what became of them.
	 * @param run the name of the run
	 * @return all resources
	 */
	public List<Resource> read(String run) {
		List<Resource> resources = new ArrayList<>();
		for (String name : names()) {
			String key = run + "/" + name;
			List<Accepted> accepted = this.jdbc.query(
					"SELECT operation, token, was, became FROM accepted WHERE key = ? ORDER BY seq",
					(row, number) -> new Accepted(key, row.getString(1), row.getObject(2, Long.class), row.getLong(3),
							row.getLong(4)),
					key);
			Long current = this.jdbc.queryForObject("SELECT value FROM resource WHERE key = ?", Long.class, key);
			resources.add(new Resource(key, initial(name), Objects.requireNonNull(current), accepted));
		}
		resources.add(register(run + "/register"));
		return resources;
	}

	private Resource register(String key) {
		List<Accepted> accepted = new ArrayList<>();
		if (this.register.command("LRANGE", key + ":log", "0", "-1") instanceof Collection<?> lines) {
			for (Object line : lines) {
				String[] words = String.valueOf(line).split(" ", -1);
				accepted.add(new Accepted(key, words[0], words[1].isEmpty() ? null : Long.valueOf(words[1]),
						Long.parseLong(words[2]), Long.parseLong(words[3])));
			}
		}
		Object value = this.register.command("HGET", key, "value");
		return new Resource(key, 0, (value != null) ? Long.parseLong(value.toString()) : 0, accepted);
	}

	@Override
	public void close() {
		this.register.close();
	}

}
