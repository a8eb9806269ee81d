package org.lockspring.sample;

import java.time.Duration;
import java.util.List;

import org.springframework.format.annotation.DurationFormat;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

@RestController
class LedgerController {

	private final Ledger ledger;

	private final TransferService transferService;

	LedgerController(Ledger ledger, TransferService transferService) {
		this.ledger = ledger;
		this.transferService = transferService;
	}

	@GetMapping("/accounts")
	List<Account> accounts() {
		return this.ledger.accounts();
	}

	@GetMapping("/transfers")
	List<Transfer> transfers() {
		return this.ledger.transfers();
	}

	@PostMapping("/transfers")
	Transfer transfer(@RequestBody TransferOrder order) {
		return this.transferService.transfer(order.from(), order.to(), order.amount());
	}

	@PostMapping(path = "/transfers", params = "pause")
	Transfer transferAfter(@RequestParam @DurationFormat(style = DurationFormat.Style.SIMPLE) Duration pause,
			@RequestBody TransferOrder order) throws InterruptedException {
		return this.transferService.transferAfter(pause, order.from(), order.to(), order.amount());
	}

}
