package org.lockspring.sample;

import org.lockspring.LockLostException;
import org.lockspring.LockNotAcquiredException;
import org.lockspring.LockUnavailableException;
import org.lockspring.fencing.StaleFencingTokenException;

import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestControllerAdvice;

/**
 * What a client is told. In all of these cases nothing was written, and the client may
 * try again.
 */
@RestControllerAdvice
class LedgerProblems {

	@ExceptionHandler
	ProblemDetail refused(TransferRefusedException ex) {
		return problem(HttpStatus.CONFLICT, "Transfer refused", ex);
	}

	@ExceptionHandler
	ProblemDetail busy(LockNotAcquiredException ex) {
		return problem(HttpStatus.CONFLICT, "Account busy", ex);
	}

	@ExceptionHandler
	ProblemDetail unavailable(LockUnavailableException ex) {
		return problem(HttpStatus.SERVICE_UNAVAILABLE, "Lock unavailable", ex);
	}

	@ExceptionHandler({ StaleFencingTokenException.class, LockLostException.class })
	ProblemDetail lost(RuntimeException ex) {
		return problem(HttpStatus.CONFLICT, "Lock lost", ex);
	}

	private static ProblemDetail problem(HttpStatus status, String title, RuntimeException ex) {
		ProblemDetail problem = ProblemDetail.forStatusAndDetail(status, ex.getMessage());
		problem.setTitle(title);
		return problem;
	}

}
