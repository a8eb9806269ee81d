package org.lockspring.faults.control;

import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

import org.lockspring.LockLease;
import org.lockspring.LockMode;
import org.lockspring.LockRequest;
import org.lockspring.core.LockBackends;
import org.lockspring.core.LockSettings;
import org.lockspring.core.LockTemplate;
import org.lockspring.faults.workload.OneByOneLocking;
import org.springframework.context.annotation.Lazy;
import org.springframework.stereotype.Component;

/**
 * Our locks and their tokens, without our fence: a template that fences nothing, and the
 * body on a thread to which no lease is bound.
 */
@Lazy
@Component("control-unfenced")
class UnfencedLocking extends OneByOneLocking {

	private final LockTemplate template;

	UnfencedLocking(LockBackends backends, LockSettings settings) {
		this.template = new LockTemplate(backends, settings, List.of());
	}

	@Override
	protected Taken take(String key) {
		LockLease lease = this.template.acquire(LockRequest.of(key).withMode(LockMode.CORRECTNESS));
		return new Taken(Objects.requireNonNull(lease.fencingToken()).value(), lease::isValid, lease::close);
	}

	@Override
	public void run(List<String> keys, Body body) throws Exception {
		super.run(keys, (holding) -> {
			try {
				CompletableFuture.runAsync(() -> {
					try {
						body.run(holding);
					}
					catch (Exception ex) {
						throw new CompletionException(ex);
					}
				}, (task) -> new Thread(task, "unfenced").start()).join();
			}
			catch (CompletionException ex) {
				throw (ex.getCause() instanceof Exception cause) ? cause : ex;
			}
		});
	}

}
