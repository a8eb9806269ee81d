package org.lockspring.annotation;

import java.time.Duration;
import java.util.List;

import org.jspecify.annotations.Nullable;
import org.lockspring.LockRequest;

/**
 * One declaration of one method, parsed.
 *
 * @param key the key
 * @param prototype the request of every call; its key is a call's only if it is literal
 * @param budget the wait time of one call, all locks of the declaration together;
 * {@code null} if it is not known here
 * @param onBusy what to do if a lock is busy
 */
record LockAttributes(LockKeyExpression key, LockRequest prototype, @Nullable Duration budget, OnBusy onBusy) {

	/**
	 * Return what one call has to lock.
	 */
	List<LockRequest> requests(LockCall call) {
		if (this.key.literal() != null) {
			return List.of(this.prototype);
		}
		List<String> keys = this.key.keys(call);
		return (keys.size() == 1) ? List.of(request(keys.get(0))) : keys.stream().map(this::request).toList();
	}

	private LockRequest request(String key) {
		LockRequest prototype = this.prototype;
		return new LockRequest(key, prototype.mode(), prototype.ttl(), prototype.waitTime(), prototype.minHold(),
				prototype.autoRenew(), prototype.caller());
	}

}
