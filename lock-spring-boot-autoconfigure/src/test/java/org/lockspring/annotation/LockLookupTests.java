package org.lockspring.annotation;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.time.Duration;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.aop.support.AopUtils;
import org.springframework.core.annotation.AliasFor;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Where a declaration is found, and which one wins.
 */
class LockLookupTests {

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void interfaceMethodAndClassMethodBothServe(boolean proxyTargetClass) {
		Locks.application(OnInterface.class, OnClass.class)
			.withPropertyValues("spring.aop.proxy-target-class=" + proxyTargetClass)
			.run((context) -> {
				RecordingBackend backend = context.getBean(RecordingBackend.class);
				DeclaringApi onInterface = (DeclaringApi) context.getBean("lockLookupTests.OnInterface");
				PlainApi onClass = (PlainApi) context.getBean("lockLookupTests.OnClass");
				assertThat(AopUtils.isJdkDynamicProxy(onInterface)).isEqualTo(!proxyTargetClass);
				onInterface.run();
				assertThat(backend.events).containsExactly("acquired api", "released api");
				backend.clear();
				onClass.run();
				assertThat(backend.events).containsExactly("acquired class", "released class");
			});
	}

	@Test
	void metaAnnotationPassesItsAttributesAndStillSchedules() {
		Locks.application(Nightly.class).run((context) -> {
			RecordingBackend backend = context.getBean(RecordingBackend.class);
			await().untilAsserted(() -> assertThat(backend.acquired()).contains("nightly"));
			assertThat(backend.attempts.get(0).ttl()).isEqualTo(Duration.ofSeconds(7));
		});
	}

	@Test
	void classLevelCoversPublicMethodsOnly() {
		Locks.application(Base.class).run((context) -> {
			Base bean = context.getBean(Base.class);
			RecordingBackend backend = context.getBean(RecordingBackend.class);
			bean.plain();
			bean.retimed();
			assertThat(backend.acquired()).containsExactly("base", "base");
			backend.clear();
			bean.packagePrivate();
			assertThat(bean.toString()).isEqualTo("a bean");
			assertThat(bean.hashCode()).isEqualTo(bean.hashCode());
			assertThat(backend.events).isEmpty();
		});
	}

	@Test
	void subclassInheritsAndTheNearestDeclarationWins() {
		Locks.application(Sub.class).run((context) -> {
			Sub bean = context.getBean(Sub.class);
			RecordingBackend backend = context.getBean(RecordingBackend.class);
			bean.plain();
			assertThat(backend.acquired()).containsExactly("base");
			backend.clear();
			bean.retimed();
			assertThat(backend.acquired()).containsExactly("sub");
			assertThat(backend.attempts.get(0).ttl()).isEqualTo(Duration.ofSeconds(9));
			backend.clear();
			bean.onMethod();
			assertThat(backend.acquired()).containsExactly("method");
			backend.clear();
			bean.own();
			assertThat(backend.acquired()).containsExactly("base");
		});
	}

	@Test
	void targetClassWinsOverInterfaceMethod() {
		Locks.application(ClassOverInterface.class).run((context) -> {
			context.getBean(ClassOverInterface.class).run();
			assertThat(context.getBean(RecordingBackend.class).acquired()).containsExactly("type");
		});
	}

	@Test
	void inheritedMethodServesAnInterfaceThatItsClassDoesNotKnow() {
		Locks.application(Adopting.class).run((context) -> {
			context.getBean(Adopting.class).run();
			assertThat(context.getBean(RecordingBackend.class).acquired()).containsExactly("api");
		});
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void genericInterfaceLocksTheMethodBehindTheBridge(boolean proxyTargetClass) {
		Locks.application(StringHandler.class)
			.withPropertyValues("spring.aop.proxy-target-class=" + proxyTargetClass)
			.run((context) -> {
				@SuppressWarnings("unchecked")
				Handler<String> handler = context.getBean(Handler.class);
				assertThat(handler.handle("x")).isEqualTo("x!");
				assertThat(context.getBean(RecordingBackend.class).acquired()).containsExactly("handle-x");
			});
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void annotatedGenericMethodServesItsImplementation(boolean proxyTargetClass) {
		Locks.application(Implementation.class)
			.withPropertyValues("spring.aop.proxy-target-class=" + proxyTargetClass)
			.run((context) -> {
				@SuppressWarnings("unchecked")
				Handler<String> handler = context.getBean(Handler.class);
				handler.handle("y");
				assertThat(context.getBean(RecordingBackend.class).acquired()).containsExactly("generic-y");
			});
	}

	@Test
	void repeatedDeclarationsAddUpAndOverridingOnesDoNot() {
		Locks.application(Repeated.class, Overriding.class).run((context) -> {
			RecordingBackend backend = context.getBean(RecordingBackend.class);
			((Repeated) context.getBean("lockLookupTests.Repeated")).run();
			assertThat(backend.events).containsExactly("acquired a", "acquired b", "released b", "released a");
			backend.clear();
			context.getBean(Overriding.class).run();
			assertThat(backend.acquired()).containsExactly("c");
		});
	}

	interface DeclaringApi {

		@DistributedLock("api")
		void run();

	}

	static class OnInterface implements DeclaringApi {

		@Override
		public void run() {
		}

	}

	interface PlainApi {

		void run();

	}

	static class OnClass implements PlainApi {

		@Override
		@DistributedLock("class")
		public void run() {
		}

	}

	@Scheduled(fixedDelay = 100_000)
	@DistributedLock(ttl = "60s")
	@Retention(RetentionPolicy.RUNTIME)
	@Target(ElementType.METHOD)
	@interface NightlyJob {

		@AliasFor(annotation = DistributedLock.class, attribute = "key")
		String key();

		@AliasFor(annotation = DistributedLock.class, attribute = "ttl")
		String ttl() default "60s";

	}

	@EnableScheduling
	static class Nightly {

		@NightlyJob(key = "nightly", ttl = "7s")
		public void run() {
		}

	}

	@DistributedLock("base")
	static class Base {

		public void plain() {
		}

		public void retimed() {
		}

		@DistributedLock("method")
		public void onMethod() {
		}

		void packagePrivate() {
		}

		@Override
		public String toString() {
			return "a bean";
		}

	}

	static class Sub extends Base {

		@Override
		public void plain() {
		}

		@Override
		@DistributedLock(key = "sub", ttl = "9s")
		public void retimed() {
		}

		@Override
		public void onMethod() {
		}

		public void own() {
		}

	}

	@DistributedLock("type")
	static class ClassOverInterface implements DeclaringApi {

		@Override
		public void run() {
		}

	}

	static class Ignorant {

		public void run() {
		}

	}

	static class Adopting extends Ignorant implements DeclaringApi {

	}

	interface Handler<T> {

		T handle(T value);

	}

	static class StringHandler implements Handler<String> {

		@Override
		@DistributedLock("'handle-' + #value")
		public String handle(String value) {
			return value + "!";
		}

	}

	interface DeclaringHandler<T> extends Handler<T> {

		@Override
		@DistributedLock("'generic-' + #p0")
		T handle(T value);

	}

	static class Implementation implements DeclaringHandler<String> {

		@Override
		public String handle(String value) {
			return value;
		}

	}

	static class Repeated {

		@DistributedLock("b")
		@DistributedLock("a")
		public void run() {
		}

	}

	static class Overriding extends Repeated {

		@Override
		@DistributedLock("c")
		public void run() {
		}

	}

}
