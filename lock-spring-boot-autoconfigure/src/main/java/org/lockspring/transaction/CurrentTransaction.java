package org.lockspring.transaction;

import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * What can be told of the transaction on this thread.
 */
final class CurrentTransaction {

	private static final TransactionSynchronization COMPLETING = new TransactionSynchronization() {
	};

	private CurrentTransaction() {
	}

	/**
	 * Return whether a transaction is open that something can still become part of.
	 */
	static boolean isOpen() {
		return TransactionSynchronizationManager.isActualTransactionActive()
				&& TransactionSynchronizationManager.isSynchronizationActive() && !isCompleting();
	}

	/**
	 * Return whether the transaction has ended already, although it looks open: in
	 * {@code afterCommit}.
	 */
	static boolean isCompleting() {
		return TransactionSynchronizationManager.isSynchronizationActive()
				&& TransactionSynchronizationManager.getSynchronizations().contains(COMPLETING);
	}

	/**
	 * Remember that the transaction is about to commit. The mark is suspended and
	 * forgotten together with it.
	 */
	static void markCompleting() {
		if (TransactionSynchronizationManager.isSynchronizationActive()) {
			TransactionSynchronizationManager.registerSynchronization(COMPLETING);
		}
	}

	/**
	 * Run with the transaction hidden, so that nobody joins it.
	 */
	static void runOutside(Runnable action) {
		boolean active = TransactionSynchronizationManager.isActualTransactionActive();
		TransactionSynchronizationManager.setActualTransactionActive(false);
		try {
			action.run();
		}
		finally {
			TransactionSynchronizationManager.setActualTransactionActive(active);
		}
	}

}
