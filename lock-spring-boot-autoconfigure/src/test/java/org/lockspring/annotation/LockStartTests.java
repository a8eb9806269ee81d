package org.lockspring.annotation;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import jakarta.annotation.PostConstruct;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.lockspring.CurrentLock;
import org.lockspring.autoconfigure.LockAnnotationAutoConfiguration;
import org.lockspring.autoconfigure.LockAutoConfiguration;

import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.ApplicationArguments;
import org.springframework.boot.ApplicationRunner;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.context.event.ApplicationStartedEvent;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Scope;
import org.springframework.context.annotation.ScopedProxyMode;
import org.springframework.context.event.EventListener;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Locks while an application starts, and beans that do not start with it.
 */
@ExtendWith(OutputCaptureExtension.class)
class LockStartTests {

	@Test
	void nothingIsCreatedTooEarlyForItsPostProcessors(CapturedOutput output) {
		try (ConfigurableApplicationContext context = start(Startup.class)) {
			assertThat(context.getBean(Job.class).run()).isTrue();
			assertThat(output).doesNotContain("not eligible").doesNotContain(" WARN ");
		}
	}

	@Test
	void locksServeWhileTheApplicationStarts() {
		try (ConfigurableApplicationContext context = start(Startup.class)) {
			assertThat(context.getBean(Startup.class).held).containsExactly("post construct true",
					"application started true", "runner true");
			assertThat(context.getBean(RecordingBackend.class).acquired()).containsExactly("job", "job", "job");
		}
	}

	@Test
	void aLazyBeanIsLockedWhenItIsCreated() {
		Locks.application(LazyBeans.class).run((context) -> {
			assertThat(context.getBeanFactory().containsSingleton("lazyJob")).isFalse();
			assertThat(context.getBean(Job.class).run()).isTrue();
		});
	}

	@Test
	void lazyInitializationOfEverythingServesToo() {
		try (ConfigurableApplicationContext context = start(Startup.class, "--spring.main.lazy-initialization=true")) {
			assertThat(context.getBean(Job.class).run()).isTrue();
		}
	}

	@Test
	void aScopedBeanIsLockedBehindItsScopedProxy() {
		Locks.application(ScopedBeans.class).run((context) -> {
			assertThat(context.getBean(Job.class).run()).isTrue();
			assertThat(context.getBean(RecordingBackend.class).events).containsExactly("acquired job", "released job");
		});
	}

	@Test
	void aPrototypeIsLocked() {
		Locks.application(PrototypeBeans.class).run((context) -> {
			assertThat(context.getBean(Job.class).run()).isTrue();
			assertThat(context.getBean(RecordingBackend.class).acquired()).containsExactly("job");
		});
	}

	@Test
	void theThreadOfAnAsyncMethodHoldsTheLock() {
		Locks.application(AsyncJob.class).run((context) -> {
			AsyncJob job = (AsyncJob) AopProxyUtils.getSingletonTarget(context.getBean(AsyncJob.class));
			context.getBean(AsyncJob.class).run();
			assertThat(job.done.await(10, TimeUnit.SECONDS)).isTrue();
			assertThat(job.held).isTrue();
			assertThat(job.thread).isNotSameAs(Thread.currentThread());
			assertThat(context.getBean(RecordingBackend.class).acquired()).containsExactly("async");
		});
	}

	private static ConfigurableApplicationContext start(Class<?> configuration, String... args) {
		SpringApplication application = new SpringApplication(configuration);
		application.setWebApplicationType(WebApplicationType.NONE);
		return application.run(args);
	}

	static class Job {

		@DistributedLock("job")
		public boolean run() {
			return CurrentLock.isHeld("job");
		}

	}

	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration({ LockAutoConfiguration.class, LockAnnotationAutoConfiguration.class })
	@Import({ RecordingBackend.class, Job.class })
	static class Startup implements ApplicationRunner {

		private final List<String> held = new ArrayList<>();

		private final ObjectProvider<Job> job;

		Startup(ObjectProvider<Job> job) {
			this.job = job;
		}

		@PostConstruct
		void construct() {
			this.held.add("post construct " + this.job.getObject().run());
		}

		@EventListener
		@Order(Ordered.HIGHEST_PRECEDENCE)
		void started(ApplicationStartedEvent event) {
			this.held.add("application started " + this.job.getObject().run());
		}

		@Override
		public void run(ApplicationArguments args) {
			this.held.add("runner " + this.job.getObject().run());
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class LazyBeans {

		@Bean
		@Lazy
		Job lazyJob() {
			return new Job();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class ScopedBeans {

		@Bean
		@Scope(scopeName = "prototype", proxyMode = ScopedProxyMode.TARGET_CLASS)
		Job scopedJob() {
			return new Job();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class PrototypeBeans {

		@Bean
		@Scope("prototype")
		Job prototypeJob() {
			return new Job();
		}

	}

	@EnableAsync
	static class AsyncJob {

		private final CountDownLatch done = new CountDownLatch(1);

		private volatile boolean held;

		private volatile Thread thread;

		@Async
		@DistributedLock("async")
		public void run() {
			this.held = CurrentLock.isHeld("async");
			this.thread = Thread.currentThread();
			this.done.countDown();
		}

	}

}
