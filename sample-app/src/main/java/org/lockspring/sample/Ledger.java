package org.lockspring.sample;

import java.util.List;
import java.util.Objects;

import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.support.GeneratedKeyHolder;
import org.springframework.jdbc.support.KeyHolder;
import org.springframework.stereotype.Repository;

/**
 * The tables. Knows nothing of locks.
 */
@Repository
class Ledger {

	private final JdbcClient jdbc;

	Ledger(JdbcClient jdbc) {
		this.jdbc = jdbc;
	}

	List<Account> accounts() {
		return this.jdbc.sql("select id, balance from account order by id").query(Account.class).list();
	}

	List<Transfer> transfers() {
		return this.jdbc.sql("""
				select id, from_account as "from", to_account as "to", amount, from_token, to_token
				from transfer order by id""").query(Transfer.class).list();
	}

	long balance(String account) {
		return this.jdbc.sql("select balance from account where id = :id")
			.param("id", account)
			.query(Long.class)
			.optional()
			.orElseThrow(() -> new TransferRefusedException("There is no account '%s'".formatted(account)));
	}

	/**
	 * Write a balance that was computed from one that was read. Saying
	 * {@code balance = balance - :amount} instead would need no lock at all; it stands
	 * for everything that is too long for one statement. Two who do this at a time lose
	 * an update, unless a lock keeps them apart and the database refuses the one who lost
	 * it.
	 */
	void store(String account, long newBalance) {
		this.jdbc.sql("update account set balance = :newBalance where id = :id")
			.param("id", account)
			.param("newBalance", newBalance)
			.update();
	}

	Transfer add(String from, String to, long amount, long fromToken, long toToken) {
		KeyHolder key = new GeneratedKeyHolder();
		this.jdbc.sql("""
				insert into transfer (from_account, to_account, amount, from_token, to_token)
				values (:from, :to, :amount, :fromToken, :toToken)""")
			.param("from", from)
			.param("to", to)
			.param("amount", amount)
			.param("fromToken", fromToken)
			.param("toToken", toToken)
			.update(key, "id");
		long id = Objects.requireNonNull(key.getKey()).longValue();
		return new Transfer(id, from, to, amount, fromToken, toToken);
	}

}
