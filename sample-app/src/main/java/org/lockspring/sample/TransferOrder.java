package org.lockspring.sample;

record TransferOrder(String from, String to, long amount) {

	TransferOrder {
		if (from.equals(to) || amount < 1) {
			throw new IllegalArgumentException("A transfer moves at least 1 between two accounts");
		}
	}

}
