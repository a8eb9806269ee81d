package org.lockspring.annotation;

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.concurrent.Future;
import java.util.function.Consumer;

import org.aopalliance.intercept.MethodInterceptor;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.lockspring.LockMode;
import org.lockspring.autoconfigure.LockAnnotationAutoConfiguration;

import org.springframework.aop.framework.ProxyFactory;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.NoSuchBeanDefinitionException;
import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Scope;
import org.springframework.context.annotation.ScopedProxyMode;
import org.springframework.core.Ordered;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What ends the start because it would run unlocked, or could not work.
 */
class LockDefinitionValidatorTests {

	private static final String NAME = "LockDefinitionValidatorTests.";

	@ParameterizedTest
	@ValueSource(classes = { FinalMethod.class, PrivateMethod.class, StaticMethod.class, FinalMethodOfLockedType.class,
			InheritsFinalMethod.class })
	void aMethodThatAProxyCannotOverrideIsRefused(Class<?> type) {
		Locks.application(type).run((context) -> {
			assertThat(Locks.refusal(context).getSubject()).isEqualTo(NAME + type.getSimpleName() + "#run()");
			assertThat(Locks.refusal(context)).hasMessageContaining(type.getAnnotation(Reason.class).value())
				.hasMessageContaining("lock.annotation.mode=aspectj");
		});
	}

	@Test
	void staticMethodOfALockedTypeIsNotCoveredAndDoesNotDisturb() {
		Locks.application(StaticMethodOfLockedType.class).run((context) -> assertThat(context).hasNotFailed());
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void aFinalClassWithoutInterfaceIsRefused(boolean proxyTargetClass) {
		Locks.application(FinalClass.class)
			.withPropertyValues("spring.aop.proxy-target-class=" + proxyTargetClass)
			.run((context) -> assertThat(Locks.refusal(context)).hasMessageContaining("FinalClass")
				.hasMessageContaining("final"));
	}

	@Test
	void aFinalClassWithAnInterfaceNeedsAProxyOfTheInterface() {
		Locks.application(FinalClassWithInterface.class)
			.run((context) -> assertThat(Locks.refusal(context)).hasMessageContaining("FinalClassWithInterface")
				.hasMessageContaining("spring.aop.proxy-target-class=false"));
		Locks.application(FinalClassWithInterface.class)
			.withPropertyValues("spring.aop.proxy-target-class=false")
			.run((context) -> {
				context.getBean(Api.class).run();
				assertThat(context.getBean(RecordingBackend.class).acquired()).containsExactly("final");
			});
	}

	@Test
	void aMethodThatTheInterfaceProxyLacksIsRefused() {
		Locks.application(MoreThanItsInterface.class)
			.withPropertyValues("spring.aop.proxy-target-class=false")
			.run((context) -> assertThat(Locks.refusal(context).getSubject())
				.isEqualTo(NAME + "MoreThanItsInterface#more()"));
		Locks.application(MoreThanItsInterface.class).run((context) -> assertThat(context).hasNotFailed());
	}

	@Test
	void aGenericInterfaceShowsTheMethodBehindTheBridge() {
		Locks.application(GenericConsumer.class)
			.withPropertyValues("spring.aop.proxy-target-class=false")
			.run((context) -> assertThat(context).hasNotFailed());
	}

	@Test
	void aPrimitiveResultCannotBeSkipped() {
		Locks.application(SkippingInt.class)
			.run((context) -> assertThat(Locks.refusal(context).getSubject())
				.isEqualTo(NAME + "SkippingInt#run() onBusy"));
	}

	@ParameterizedTest
	@ValueSource(
			classes = { ReturnsStage.class, ReturnsCompletable.class, ReturnsFuture.class, ReturnsGenericFuture.class })
	void aResultWhoseEndShowsIsAccepted(Class<?> type) {
		Locks.application(type).run((context) -> assertThat(context).hasNotFailed());
	}

	@ParameterizedTest
	@ValueSource(classes = { ReturnsCallable.class })
	void aResultThatOutlivesTheCallIsRefused(Class<?> type) {
		Locks.application(type)
			.run((context) -> assertThat(Locks.refusal(context)).hasMessageContaining(NAME + type.getSimpleName())
				.hasMessageContaining("before the work"));
	}

	@ParameterizedTest
	@ValueSource(classes = { LazyBean.class, PrototypeBean.class, ScopedBean.class, AbstractlyTyped.class })
	void beansThatAreCreatedLaterAreCheckedByType(Class<?> configuration) {
		Locks.application(configuration)
			.run((context) -> assertThat(Locks.refusal(context)).hasMessageContaining("FinalMethod#run()"));
	}

	@Test
	void aBeanThatWasCreatedTooEarlyIsRefused() {
		Locks.application(TooEarly.class)
			.run((context) -> assertThat(Locks.refusal(context)).hasMessageContaining("bean 'tooEarly'")
				.hasMessageContaining("TooEarlyJob#run()"));
	}

	@Test
	void aBeanThatWasRegisteredByHandIsRefused() {
		Locks.application()
			.withInitializer((context) -> context.getBeanFactory().registerSingleton("byHand", new TooEarlyJob()))
			.run((context) -> assertThat(Locks.refusal(context)).hasMessageContaining("bean 'byHand'"));
	}

	@ParameterizedTest
	@ValueSource(classes = { ClientFactory.class, RepositoryFactory.class })
	void aProductIsLockedByItsInterface(Class<?> factory) {
		Locks.application(factory).run((context) -> {
			context.getBean(Repository.class).save();
			context.getBean(Repository.class).delete();
			assertThat(context.getBean(RecordingBackend.class).acquired()).containsExactly("x", "y");
		});
	}

	@Test
	void theDeclarationsOfAProductsInterfaceAreChecked() {
		Locks.application(BrokenClientFactory.class)
			.run((context) -> assertThat(Locks.refusal(context).getSubject())
				.isEqualTo(NAME + "BrokenRepository#save() ttl"));
	}

	@Test
	void aProxyThatWasWrappedLaterIsTrusted() {
		Locks.application(Wrapping.class).run((context) -> {
			context.getBean(Api.class).run();
			assertThat(context.getBean(RecordingBackend.class).acquired()).containsExactly("wrapped");
		});
	}

	@Test
	void correctnessMethodsAreKnown() {
		Locks.application(Mixed.class, Later.class)
			.run((context) -> assertThat(context.getBean(LockDefinitionValidator.class).methods(LockMode.CORRECTNESS))
				.containsExactly(NAME + "CorrectJob#one", NAME + "CorrectJob#two", NAME + "Mixed#correct"));
	}

	@Test
	void anApplicationWithoutLocksNeedsNoTemplate() {
		ApplicationContextRunner runner = new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(LockAnnotationAutoConfiguration.class));
		runner.run((context) -> assertThat(context).hasNotFailed());
		runner.withBean(TooEarlyJob.class)
			.run((context) -> assertThat(context.getStartupFailure())
				.isInstanceOf(NoSuchBeanDefinitionException.class));
	}

	@Retention(RetentionPolicy.RUNTIME)
	@interface Reason {

		String value();

	}

	@Reason("the method is final")
	static class FinalMethod {

		@DistributedLock("x")
		public final void run() {
		}

	}

	@Reason("the method is private")
	static class PrivateMethod {

		@SuppressWarnings("unused")
		@DistributedLock("x")
		private void run() {
		}

	}

	@Reason("the method is static")
	static class StaticMethod {

		@DistributedLock("x")
		public static void run() {
		}

	}

	@Reason("the method is final")
	@DistributedLock("x")
	static class FinalMethodOfLockedType {

		public final void run() {
		}

	}

	@Reason("the method is final")
	static class InheritsFinalMethod extends FinalMethod {

	}

	@DistributedLock("x")
	static class StaticMethodOfLockedType {

		public static void main() {
		}

		public void run() {
		}

	}

	static final class FinalClass {

		@DistributedLock("x")
		public void run() {
		}

	}

	interface Api {

		void run();

	}

	static final class FinalClassWithInterface implements Api {

		@Override
		@DistributedLock("final")
		public void run() {
		}

	}

	static class MoreThanItsInterface implements Api {

		@Override
		public void run() {
		}

		@DistributedLock("x")
		public void more() {
		}

	}

	static class GenericConsumer implements Consumer<String> {

		@Override
		@DistributedLock("#text")
		public void accept(String text) {
		}

	}

	static class SkippingInt {

		@DistributedLock(key = "x", onBusy = OnBusy.SKIP)
		public int run() {
			return 1;
		}

	}

	static class ReturnsFuture {

		@DistributedLock("x")
		public @Nullable Future<String> run() {
			return null;
		}

	}

	static class ReturnsStage {

		@DistributedLock("x")
		public @Nullable CompletionStage<String> run() {
			return null;
		}

	}

	static class ReturnsCompletable {

		@DistributedLock("x")
		public @Nullable CompletableFuture<String> run() {
			return null;
		}

	}

	static class ReturnsCallable {

		@DistributedLock("x")
		public @Nullable Callable<String> run() {
			return null;
		}

	}

	abstract static class Generic<T> {

		@DistributedLock("x")
		public @Nullable T run() {
			return null;
		}

	}

	static class ReturnsGenericFuture extends Generic<Future<String>> {

	}

	@Configuration(proxyBeanMethods = false)
	static class LazyBean {

		@Bean
		@Lazy
		FinalMethod later() {
			return new FinalMethod();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class PrototypeBean {

		@Bean
		@Scope("prototype")
		FinalMethod later() {
			return new FinalMethod();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class ScopedBean {

		@Bean
		@Scope(scopeName = "prototype", proxyMode = ScopedProxyMode.TARGET_CLASS)
		FinalMethod later() {
			return new FinalMethod();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class AbstractlyTyped {

		@Bean
		Object hidden() {
			return new FinalMethod();
		}

	}

	static class TooEarlyJob {

		@DistributedLock("x")
		public void run() {
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class TooEarly {

		@Bean
		static TooEarlyJob tooEarly() {
			return new TooEarlyJob();
		}

		@Bean
		static BeanFactoryPostProcessor eager() {
			return (beanFactory) -> beanFactory.getBean("tooEarly");
		}

	}

	@DistributedLock("y")
	interface Repository {

		@DistributedLock("x")
		void save();

		void delete();

	}

	interface BrokenRepository {

		@DistributedLock(key = "x", ttl = "0s")
		void save();

	}

	static class BrokenClientFactory implements FactoryBean<BrokenRepository> {

		@Override
		public BrokenRepository getObject() {
			return ProxyFactory.getProxy(BrokenRepository.class, (MethodInterceptor) (invocation) -> null);
		}

		@Override
		public Class<?> getObjectType() {
			return BrokenRepository.class;
		}

	}

	static class ClientFactory implements FactoryBean<Repository> {

		@Override
		public Repository getObject() {
			return ProxyFactory.getProxy(Repository.class, (MethodInterceptor) (invocation) -> null);
		}

		@Override
		public Class<?> getObjectType() {
			return Repository.class;
		}

	}

	static class RepositoryFactory extends ClientFactory {

		@Override
		public Repository getObject() {
			ProxyFactory proxyFactory = new ProxyFactory(Repository.class, (MethodInterceptor) (invocation) -> null);
			proxyFactory.setTarget(new Object());
			return (Repository) proxyFactory.getProxy();
		}

	}

	static class Wrapped implements Api {

		@Override
		@DistributedLock("wrapped")
		public void run() {
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Wrapping {

		@Bean
		Wrapped wrapped() {
			return new Wrapped();
		}

		@Bean
		static BeanPostProcessor wrapper() {
			return new Wrapper();
		}

	}

	static class Wrapper implements BeanPostProcessor, Ordered {

		@Override
		public Object postProcessAfterInitialization(Object bean, String beanName) {
			return (bean instanceof Wrapped wrapped) ? (Api) wrapped::run : bean;
		}

		@Override
		public int getOrder() {
			return LOWEST_PRECEDENCE;
		}

	}

	static class Mixed {

		@DistributedLock("x")
		public void efficient() {
		}

		@DistributedLock(key = "y", mode = LockMode.CORRECTNESS)
		public void correct() {
		}

	}

	@DistributedLock(key = "z", mode = LockMode.CORRECTNESS)
	static class CorrectJob {

		public void two() {
		}

		public void one() {
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Later {

		@Bean
		@Lazy
		CorrectJob correctJob() {
			throw new IllegalStateException("nobody asked for it");
		}

	}

}
