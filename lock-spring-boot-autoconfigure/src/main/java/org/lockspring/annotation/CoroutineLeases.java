package org.lockspring.annotation;

import java.util.ArrayList;
import java.util.List;

import kotlin.coroutines.AbstractCoroutineContextElement;
import kotlin.coroutines.Continuation;
import kotlin.coroutines.CoroutineContext;
import kotlinx.coroutines.ThreadContextElement;
import org.jspecify.annotations.Nullable;
import org.lockspring.CurrentLock;
import org.lockspring.LockLease;

/**
 * The leases of a coroutine, bound to whichever thread runs it for as long as it does:
 * the transactions that begin there are fenced. Loaded only where a function suspends,
 * since coroutines are optional.
 */
final class CoroutineLeases extends AbstractCoroutineContextElement
		implements ThreadContextElement<List<CurrentLock.Scope>> {

	private static final CoroutineContext.Key<CoroutineLeases> KEY = new CoroutineContext.Key<>() {
	};

	private final List<LockLease> leases;

	private CoroutineLeases(List<LockLease> leases) {
		super(KEY);
		this.leases = leases;
	}

	/**
	 * Return the arguments of a suspending function with the leases of this thread in the
	 * context of its coroutine.
	 */
	@SuppressWarnings("unchecked")
	static @Nullable Object[] in(@Nullable Object[] args) {
		// What is re-entered is bound several times
		List<LockLease> leases = CurrentLock.leases().stream().distinct().toList();
		@Nullable Object[] changed = args.clone();
		int last = args.length - 1;
		if (args[last] instanceof Continuation<?> continuation) {
			changed[last] = new LockedContinuation((Continuation<Object>) continuation,
					continuation.getContext().plus(new CoroutineLeases(leases)));
		}
		return changed;
	}

	@Override
	public List<CurrentLock.Scope> updateThreadContext(CoroutineContext context) {
		List<CurrentLock.Scope> scopes = new ArrayList<>(this.leases.size());
		List<LockLease> bound = CurrentLock.leases();
		for (int i = this.leases.size() - 1; i >= 0; i--) {
			LockLease lease = this.leases.get(i);
			if (!bound.contains(lease)) {
				scopes.add(0, CurrentLock.attach(lease));
			}
		}
		return scopes;
	}

	@Override
	public void restoreThreadContext(CoroutineContext context, List<CurrentLock.Scope> scopes) {
		scopes.forEach(CurrentLock.Scope::close);
	}

	private record LockedContinuation(Continuation<Object> caller,
			CoroutineContext context) implements Continuation<Object> {

		@Override
		public CoroutineContext getContext() {
			return this.context;
		}

		@Override
		public void resumeWith(Object result) {
			this.caller.resumeWith(result);
		}

	}

}
