package org.lockspring.annotation;

import java.nio.file.Path;
import java.util.concurrent.Callable;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.lockspring.CurrentLock;
import org.lockspring.InvalidLockDefinitionException;
import org.lockspring.LockNotAcquiredException;

import org.springframework.aop.support.AopUtils;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Classes that AspectJ really wove.
 */
class DistributedLockAspectTests {

	@TempDir
	private Path directory;

	@ParameterizedTest
	@ValueSource(classes = { WhatProxiesCannotDo.class, ConfigurationIsForgotten.class, DeclarationsAreChecked.class,
			WhatIsNotWovenIsRefused.class, ObjectsThatSpringDoesNotManage.class })
	void woven(Class<? extends Callable<?>> scenario) throws Exception {
		assertThat(new WeavingLoader(this.directory).run(scenario)).isEqualTo("done");
	}

	@Test
	void withoutAWeaverTheStartEnds() {
		aspectj(WovenClasses.Service.class)
			.run((context) -> assertThat(Locks.refusal(context).getSubject()).isEqualTo("lock.annotation.mode"));
	}

	private static ApplicationContextRunner aspectj(Class<?>... beans) {
		return Locks.application(beans).withPropertyValues("lock.annotation.mode=aspectj");
	}

	static class WhatProxiesCannotDo implements Callable<String> {

		@Override
		public String call() {
			aspectj(WovenClasses.Service.class, WovenClasses.Subclass.class).run((context) -> {
				assertThat(context).hasNotFailed();
				RecordingBackend backend = context.getBean(RecordingBackend.class);
				WovenClasses.Service service = (WovenClasses.Service) context.getBean("wovenClasses.Service");
				assertThat(AopUtils.isAopProxy(service)).isFalse();
				assertThat(service.outer("7")).isEqualTo("held");
				assertThat(backend.events).containsExactly("acquired inner-7", "released inner-7");
				backend.clear();
				assertThat(service.finalMethod()).isTrue();
				assertThat(service.callPrivate()).isTrue();
				assertThat(WovenClasses.Service.staticMethod("a")).isTrue();
				assertThat(service.composed()).isTrue();
				assertThat(service.repeated()).isTrue();
				assertThat(backend.acquired()).containsExactly("final", "private", "static-a", "composed", "r1", "r2");
				backend.clear();
				WovenClasses.Subclass subclass = context.getBean(WovenClasses.Subclass.class);
				subclass.own();
				subclass.packagePrivate();
				assertThat(subclass.toString()).isEqualTo("plain");
				assertThat(backend.acquired()).containsExactly("type");
				backend.holdElsewhere("final");
				assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(service::finalMethod);
			});
			return "done";
		}

	}

	static class ConfigurationIsForgotten implements Callable<String> {

		@Override
		public String call() {
			WovenClasses.Service service = new WovenClasses.Service();
			assertUnconfigured(service);
			aspectj(WovenClasses.Service.class).run((context) -> assertThat(service.finalMethod()).isTrue());
			assertUnconfigured(service);
			return "done";
		}

		private static void assertUnconfigured(WovenClasses.Service service) {
			assertThatExceptionOfType(IllegalStateException.class).isThrownBy(service::finalMethod)
				.withMessageContaining("WovenClasses.Service#finalMethod()")
				.withMessageContaining("lock.annotation.mode=aspectj");
			assertThatExceptionOfType(IllegalStateException.class)
				.isThrownBy(() -> WovenClasses.Service.staticMethod("a"));
		}

	}

	static class DeclarationsAreChecked implements Callable<String> {

		@Override
		public String call() {
			aspectj(WovenClasses.Mistaken.class).run((context) -> assertThat(Locks.refusal(context).getSubject())
				.isEqualTo("WovenClasses.Mistaken#run(String) key"));
			return "done";
		}

	}

	static class WhatIsNotWovenIsRefused implements Callable<String> {

		@Override
		public String call() {
			aspectj(Plain.class).run((context) -> assertThat(Locks.refusal(context)).hasMessageContaining("Plain#run()")
				.hasMessageContaining("did not weave"));
			aspectj(WovenClasses.LockedByInterface.class).run((context) -> {
				assertThat(context).hasNotFailed();
				context.getBean(WovenClasses.LockedByInterface.class).run();
				assertThat(context.getBean(RecordingBackend.class).acquired()).containsExactly("interface");
			});
			return "done";
		}

	}

	static class ObjectsThatSpringDoesNotManage implements Callable<String> {

		@Override
		public String call() {
			aspectj().run((context) -> {
				assertThat(new WovenClasses.Service().finalMethod()).isTrue();
				assertThatExceptionOfType(InvalidLockDefinitionException.class)
					.isThrownBy(() -> new WovenClasses.Mistaken().run("x"));
				assertThat(context.getBean(RecordingBackend.class).acquired()).containsExactly("final");
			});
			return "done";
		}

	}

	static class Plain {

		@DistributedLock("plain")
		public void run() {
			throw new IllegalStateException("ran unlocked: " + CurrentLock.isHeld("plain"));
		}

	}

}
