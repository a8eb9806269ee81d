package org.lockspring.core;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;
import org.lockspring.CurrentLock;
import org.lockspring.LockLease;
import reactor.util.context.Context;
import reactor.util.context.ContextView;

/**
 * The leases of one chain, as its context carries them.
 *
 * @param leases the leases, innermost first
 */
record ReactiveLeases(List<LockLease> leases) {

	/**
	 * Return what a new subscription finds: the leases of the chain around it, and those
	 * of the thread that subscribes.
	 */
	static ReactiveLeases of(ContextView context) {
		ReactiveLeases around = context.getOrDefault(ReactiveLeases.class, null);
		List<LockLease> leases = new ArrayList<>((around != null) ? around.leases : List.of());
		for (LockLease lease : CurrentLock.leases()) {
			if (!leases.contains(lease)) {
				leases.add(lease);
			}
		}
		// A chain may outlive the one around it
		leases.removeIf((lease) -> lease instanceof HeldLease held && held.isClosed());
		return new ReactiveLeases(leases);
	}

	Context in(Context context, LockLease lease) {
		List<LockLease> inner = new ArrayList<>(this.leases);
		inner.add(0, lease);
		return context.put(ReactiveLeases.class, new ReactiveLeases(List.copyOf(inner)));
	}

	Optional<LockLease> innermost(Predicate<LockLease> which) {
		return this.leases.stream().filter(which).findFirst();
	}

	/**
	 * Run with these leases bound to the thread.
	 */
	<T extends @Nullable Object> T with(Supplier<T> action) {
		List<CurrentLock.Scope> scopes = new ArrayList<>(this.leases.size());
		for (int i = this.leases.size() - 1; i >= 0; i--) {
			scopes.add(0, CurrentLock.attach(this.leases.get(i)));
		}
		try {
			return action.get();
		}
		finally {
			scopes.forEach(CurrentLock.Scope::close);
		}
	}

}
