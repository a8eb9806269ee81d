package org.lockspring.benchmarks;

import java.time.Duration;
import java.util.function.BiConsumer;

import org.lockspring.LockMode;
import org.lockspring.LockRequest;
import org.lockspring.core.LockTemplate;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;

/**
 * Our locks, in an application as the starter sets it up.
 */
final class OurLocks implements Contestant {

	private final ConfigurableApplicationContext context;

	private final BiConsumer<String, Runnable> locked;

	private OurLocks(ConfigurableApplicationContext context, BiConsumer<String, Runnable> locked) {
		this.context = context;
		this.locked = locked;
	}

	static OurLocks template(int port, Duration ttl, LockMode mode) {
		ConfigurableApplicationContext context = start(port, ttl);
		LockTemplate template = context.getBean(LockTemplate.class);
		return new OurLocks(context, (key, body) -> template.execute(LockRequest.of(key).withMode(mode), (lease) -> {
			body.run();
			return null;
		}));
	}

	static OurLocks annotation(int port, Duration ttl, LockMode mode) {
		ConfigurableApplicationContext context = start(port, ttl);
		AnnotatedMethods methods = context.getBean(AnnotatedMethods.class);
		return new OurLocks(context, (mode == LockMode.EFFICIENCY) ? methods::efficiently : methods::correctly);
	}

	/**
	 * Without a pool: that is there only since Jedis is, and an application that has the
	 * starter alone has none, nor have the others here.
	 */
	static ConfigurableApplicationContext start(int port, Duration ttl) {
		return new SpringApplicationBuilder(LockingApplication.class).web(WebApplicationType.NONE)
			.properties("spring.main.banner-mode=off", "logging.level.root=error", "spring.application.name=app",
					"spring.data.redis.host=127.0.0.1", "spring.data.redis.lettuce.pool.enabled=false",
					"spring.data.redis.port=" + port, "lock.ttl=" + ttl.toMillis(),
					"lock.wait-time=" + Contestants.WAIT.toMillis())
			.run();
	}

	ConfigurableApplicationContext context() {
		return this.context;
	}

	@Override
	public void locked(String key, Runnable body) {
		this.locked.accept(key, body);
	}

	@Override
	public String entry(String key) {
		return "app:{" + key + "}";
	}

	@Override
	public void close() {
		this.context.close();
	}

}
