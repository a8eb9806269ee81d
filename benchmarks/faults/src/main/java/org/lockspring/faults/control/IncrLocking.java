package org.lockspring.faults.control;

import org.lockspring.testing.RespConnection;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.annotation.Lazy;
import org.springframework.stereotype.Component;

/**
 * Compares when it releases, but its tokens are as forgetful as the store.
 */
@Lazy
@Component("control-incr")
class IncrLocking extends RecipeLocking {

	IncrLocking(@Value("${spring.data.redis.port}") int port) {
		super(port);
	}

	@Override
	void release(RespConnection redis, String key, String owner) {
		redis.command("EVAL", "return redis.call('GET', KEYS[1]) == ARGV[1] and redis.call('DEL', KEYS[1]) or 0", "1",
				key, owner);
	}

}
