package org.lockspring.sample;

import java.time.Duration;
import java.util.Objects;

import org.lockspring.CurrentLock;
import org.lockspring.LockMode;
import org.lockspring.annotation.DistributedLock;

import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Moves money. A lost update would do harm here, hence CORRECTNESS: every transaction
 * that begins under the lock is fenced, without a line about it below. A holder that
 * stalls for longer than its lock lives gets an exception, and has written nothing.
 */
@Service
class TransferService {

	/**
	 * Two keys give two locks, taken in sorted order, both or none: A to B and B to A
	 * cannot deadlock.
	 */
	static final String BOTH_ACCOUNTS = "{'account:' + #from, 'account:' + #to}";

	private final Ledger ledger;

	private final TransactionTemplate transaction;

	TransferService(Ledger ledger, TransactionTemplate transaction) {
		this.ledger = ledger;
		this.transaction = transaction;
	}

	/**
	 * Move money. The lock is outside the transaction: it is released after the commit.
	 */
	@DistributedLock(key = BOTH_ACCOUNTS, mode = LockMode.CORRECTNESS)
	@Transactional
	public Transfer transfer(String from, String to, long amount) {
		return move(from, to, amount);
	}

	/**
	 * Move money after a pause, to see a stale holder refused: a long garbage collection
	 * or a suspended machine, between the lock and the transaction. Nobody renews the
	 * lock meanwhile.
	 */
	@DistributedLock(key = BOTH_ACCOUNTS, mode = LockMode.CORRECTNESS, ttl = "2s", autoRenew = false)
	public Transfer transferAfter(Duration pause, String from, String to, long amount) throws InterruptedException {
		Thread.sleep(pause.toMillis());
		return this.transaction.execute((status) -> move(from, to, amount));
	}

	private Transfer move(String from, String to, long amount) {
		long fromBalance = this.ledger.balance(from);
		long toBalance = this.ledger.balance(to);
		if (fromBalance < amount) {
			throw new TransferRefusedException("%s has %d, not %d".formatted(from, fromBalance, amount));
		}
		this.ledger.store(from, fromBalance - amount);
		this.ledger.store(to, toBalance + amount);
		return this.ledger.add(from, to, amount, tokenOf(from), tokenOf(to));
	}

	/**
	 * The token is stored for the reader of the ledger only: fencing needs no such line.
	 */
	long tokenOf(String account) {
		return Objects.requireNonNull(CurrentLock.lease("account:" + account).fencingToken()).value();
	}

}
