package org.lockspring.jdbc;

import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

import org.lockspring.Assumption;
import org.lockspring.Assumption.Finding;
import org.lockspring.LockMode;
import org.lockspring.LockUnavailableException;

/**
 * What locks in a database rest on, checked where its settings tell.
 */
final class JdbcAssumptions {

	private static final Pattern NOT_DURABLE = Pattern
		.compile("fsync off|synchronous_commit off|innodb_flush_log_at_trx_commit [02]");

	private final LockTable table;

	JdbcAssumptions(LockTable table) {
		this.table = table;
	}

	List<Assumption> of(LockMode mode) {
		Assumption durable = durable();
		Assumption noFailover = Assumption
			.unchecked("The database does not fail over to a standby that lacks the newest rows");
		if (mode == LockMode.EFFICIENCY) {
			return List.of(Assumption.unchecked("No holder stalls for longer than its ttl, else two run at once"),
					durable, noFailover);
		}
		return List.of(Assumption.unchecked("Every write that matters goes to a resource that checks the token"),
				Assumption
					.unchecked("The lock's row survives, or the database's clock does not step back behind its token"),
				durable, noFailover);
	}

	private Assumption durable() {
		String statement = "What the database has committed survives its crash";
		try {
			// Learns which database it is
			this.table.require();
			LockDialect dialect = this.table.dialect();
			Optional<String> settings = (dialect != null) ? settings(dialect) : Optional.empty();
			return settings.map((found) -> new Assumption(statement, isDurable(found), found))
				.orElseGet(() -> Assumption.unchecked(statement));
		}
		catch (SQLException | LockUnavailableException ex) {
			return Assumption.unchecked(statement);
		}
	}

	/**
	 * Return the settings that decide whether a crash loses what was committed.
	 */
	private Optional<String> settings(LockDialect dialect) throws SQLException {
		return switch (dialect) {
			case POSTGRESQL -> this.table.ask("SELECT 'fsync ' || current_setting('fsync') "
					+ "|| ', synchronous_commit ' || current_setting('synchronous_commit')");
			case MARIADB, MYSQL -> this.table
				.ask("SELECT CONCAT('innodb_flush_log_at_trx_commit ', @@GLOBAL.innodb_flush_log_at_trx_commit)");
			case H2, SQLSERVER, ORACLE -> Optional.empty();
		};
	}

	private static Finding isDurable(String settings) {
		return NOT_DURABLE.matcher(settings).find() ? Finding.VIOLATED : Finding.HOLDS;
	}

}
