package org.lockspring.core;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import org.jspecify.annotations.Nullable;
import org.lockspring.LockRequest;

/**
 * Several leases for one body: bound and left one inside the other, the last key
 * innermost.
 */
final class LeaseGroup {

	/** The same order for all callers; a lease with a token can serve one without. */
	private static final Comparator<LockRequest> ORDER = Comparator.comparing(LockRequest::key)
		.thenComparing(LockRequest::mode, Comparator.reverseOrder());

	private final LockTemplate template;

	private final List<HeldLease> leases;

	private LeaseGroup(LockTemplate template, List<HeldLease> leases) {
		this.template = template;
		this.leases = leases;
	}

	/**
	 * Obtain leases for all requests, or none.
	 */
	static LeaseGroup obtain(LockTemplate template, List<LockRequest> requests) {
		List<HeldLease> leases = new ArrayList<>();
		List<LockRequest> missing = new ArrayList<>();
		String last = "";
		try {
			for (LockRequest request : requests.stream().sorted(ORDER).toList()) {
				HeldLease held = request.key().equals(last) ? null : template.leases().reenter(request);
				if (held != null) {
					leases.add(held);
				}
				else if (!request.key().equals(last)) {
					missing.add(request);
				}
				last = request.key();
			}
			leases.addAll(missing.isEmpty() ? List.of() : template.leases().obtainNew(missing));
		}
		catch (Throwable ex) {
			leases.forEach(template.bodies()::leaveCancelled);
			throw ex;
		}
		leases.sort(Comparator.comparing(HeldLease::key));
		return new LeaseGroup(template, leases);
	}

	<T extends @Nullable Object, E extends Throwable> T run(LockCallback<T, E> callback) throws E {
		LockCallback<T, E> body = callback;
		for (int i = this.leases.size() - 1; i > 0; i--) {
			HeldLease inner = this.leases.get(i);
			LockCallback<T, E> next = body;
			body = (lease) -> this.template.bodies().run(inner, next);
		}
		return this.template.bodies().run(this.leases.get(0), body);
	}

	<T extends @Nullable Object, E extends Throwable> CompletableFuture<T> runAsync(
			LockCallback<? extends CompletionStage<T>, E> callback) throws E {
		LockCallback<? extends CompletionStage<T>, E> body = callback;
		for (int i = this.leases.size() - 1; i > 0; i--) {
			LockedStage inner = new LockedStage(this.template, this.leases.get(i));
			LockCallback<? extends CompletionStage<T>, E> next = body;
			body = (lease) -> inner.run(next);
		}
		return new LockedStage(this.template, this.leases.get(0)).run(body);
	}

}
