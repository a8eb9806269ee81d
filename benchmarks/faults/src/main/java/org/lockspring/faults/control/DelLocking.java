package org.lockspring.faults.control;

import org.lockspring.testing.RespConnection;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.annotation.Lazy;
import org.springframework.stereotype.Component;

/**
 * Releases by {@code DEL}, whoever's the entry is by then.
 */
@Lazy
@Component("control-del")
class DelLocking extends RecipeLocking {

	DelLocking(@Value("${spring.data.redis.port}") int port) {
		super(port);
	}

	@Override
	void release(RespConnection redis, String key, String owner) {
		redis.command("DEL", key);
	}

}
