package org.lockspring.autoconfigure;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import org.lockspring.core.LockLostEvent;
import org.lockspring.core.LockTemplate;

import org.springframework.boot.Banner;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.event.EventListener;

/**
 * One instance of an application named "app" that keeps its locks in a Redis.
 */
final class Instance implements AutoCloseable {

	private final ConfigurableApplicationContext context;

	private Instance(ConfigurableApplicationContext context) {
		this.context = context;
	}

	/**
	 * Start an instance.
	 * @param port the port of Redis, or of a proxy
	 * @param bean a bean of the application
	 * @param properties further properties
	 */
	static Instance start(int port, Class<?> bean, String... properties) {
		return new Instance(new SpringApplicationBuilder(Application.class, bean).web(WebApplicationType.NONE)
			.bannerMode(Banner.Mode.OFF)
			.logStartupInfo(false)
			.properties("spring.application.name=app", "spring.data.redis.port=" + port)
			.properties(properties)
			.run());
	}

	static Instance start(int port, String... properties) {
		return start(port, Losses.class, properties);
	}

	<T> T get(Class<T> bean) {
		return this.context.getBean(bean);
	}

	LockTemplate locks() {
		return get(LockTemplate.class);
	}

	/** The leases that were lost so far. */
	List<LockLostEvent> losses() {
		return get(Losses.class).events;
	}

	@Override
	public void close() {
		this.context.close();
	}

	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration({ DataRedisAutoConfiguration.class, LockAutoConfiguration.class,
			LockReactiveAutoConfiguration.class, LockAnnotationAutoConfiguration.class })
	@Import(Losses.class)
	static class Application {

	}

	static class Losses {

		private final List<LockLostEvent> events = new CopyOnWriteArrayList<>();

		@EventListener
		void lost(LockLostEvent event) {
			this.events.add(event);
		}

	}

}
