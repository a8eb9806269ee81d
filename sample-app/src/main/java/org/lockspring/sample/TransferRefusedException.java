package org.lockspring.sample;

/**
 * The ledger's own reason not to make a transfer.
 */
class TransferRefusedException extends RuntimeException {

	TransferRefusedException(String message) {
		super(message);
	}

}
