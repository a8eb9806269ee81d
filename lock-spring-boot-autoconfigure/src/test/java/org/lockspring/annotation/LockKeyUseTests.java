package org.lockspring.annotation;

import java.lang.reflect.Method;
import java.net.URI;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.lockspring.InvalidLockDefinitionException;
import org.lockspring.LockKeyException;
import org.lockspring.LockNotAcquiredException;
import org.lockspring.core.LockOperations;
import org.lockspring.core.LockSettings;

import org.springframework.context.annotation.AnnotationConfigApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Keys on their way to the store.
 */
class LockKeyUseTests {

	@Test
	void unusableKeyMeansNoStoreCallAndNoBody() {
		Locks.application(Orders.class).run((context) -> {
			Orders orders = context.getBean(Orders.class);
			assertThatExceptionOfType(LockKeyException.class).isThrownBy(() -> orders.ship(null))
				.withMessageContaining("LockKeyUseTests.Orders#ship(Long)")
				.withMessageContaining("'order:' + #id");
			assertThat(orders.bodies()).isZero();
			assertThat(context.getBean(RecordingBackend.class).attempts).isEmpty();
		});
	}

	@Test
	void callsWithDifferentKeysRunAtOnce() {
		Locks.application(Orders.class).run((context) -> {
			Orders orders = context.getBean(Orders.class);
			CountDownLatch bothInside = new CountDownLatch(2);
			Thread other = new Thread(() -> orders.meet(2L, bothInside));
			other.start();
			orders.meet(1L, bothInside);
			other.join();
			assertThat(context.getBean(RecordingBackend.class).acquired()).containsExactlyInAnyOrder("1", "2");
		});
	}

	@Test
	void equalKeysOfTwoMethodsExcludeEachOther() {
		Locks.application(Orders.class).run((context) -> {
			Orders orders = context.getBean(Orders.class);
			context.getBean(RecordingBackend.class).holdElsewhere("order:1");
			assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> orders.ship(1L));
			assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> orders.cancel(1L));
		});
	}

	@Test
	void placeholderIsResolvedOnceAndTheResultIsAKeyOfAnyKind() {
		Locks.application(Configured.class)
			.withPropertyValues("app.job=nightly", "app.key='tenant-' + #tenant", "app.prefix=p",
					"app.outer=${app.job}")
			.run((context) -> {
				Configured configured = context.getBean(Configured.class);
				configured.literal("t");
				configured.expression("t");
				configured.template("t");
				configured.outer("t");
				assertThat(context.getBean(RecordingBackend.class).acquired()).containsExactly("nightly", "tenant-t",
						"p:t", "nightly");
			});
	}

	@Test
	void unknownPlaceholderEndsTheStart() {
		Locks.application(Configured.class).run((context) -> {
			assertThat(Locks.refusal(context).getSubject()).startsWith("LockKeyUseTests.Configured#").endsWith(" key");
			assertThat(Locks.refusal(context)).hasMessageContaining("${app.");
		});
	}

	@Test
	void unknownPlaceholderEndsTheStartAlsoWithoutBoot() {
		try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext()) {
			context.registerBean(Configured.class);
			context.registerBean("locks", DistributedLockBeanPostProcessor.class,
					() -> new DistributedLockBeanPostProcessor(context.getBeanProvider(LockOperations.class),
							context.getBeanProvider(LockSettings.class)));
			context.registerBean(LockDefinitionValidator.class,
					() -> new LockDefinitionValidator(context.getBeanFactory(),
							context.getBean(DistributedLockBeanPostProcessor.class)));
			assertThatExceptionOfType(InvalidLockDefinitionException.class).isThrownBy(context::refresh)
				.withMessageContaining("${app.");
		}
	}

	@Test
	void aKeyIsRequired() {
		Locks.application(Keyless.class)
			.run((context) -> assertThat(Locks.refusal(context))
				.hasMessageContaining("LockKeyUseTests.Keyless#run() key")
				.hasMessageContaining("no key"));
	}

	@Test
	void applicationsMeetOnlyInACommonNamespace() {
		RecordingBackend shared = new RecordingBackend();
		Locks.application(Daily.class)
			.withAllowBeanDefinitionOverriding(true)
			.withBean("recordingBackend", RecordingBackend.class, () -> shared)
			.withPropertyValues("spring.application.name=billing")
			.run((billing) -> Locks.application(Daily.class)
				.withAllowBeanDefinitionOverriding(true)
				.withBean("recordingBackend", RecordingBackend.class, () -> shared)
				.withPropertyValues("spring.application.name=shop")
				.run((shop) -> {
					Daily other = shop.getBean(Daily.class);
					assertThat(billing.getBean(Daily.class).run(() -> onAnotherThread(() -> other.run(() -> "ran"))))
						.isEqualTo("ran");
					assertThat(shared.attempts).extracting((attempt) -> attempt.name())
						.containsExactly("billing:{daily}", "shop:{daily}");
				}));
	}

	@ParameterizedTest
	@ValueSource(strings = { "#orderId", "'order:' + #orderId.value" })
	void missingParameterNamesEndTheStart(String key, @TempDir Path directory) throws Exception {
		Class<?> type = compileWithoutParameterNames(key, directory);
		Locks.application(type).withClassLoader(type.getClassLoader()).run((context) -> {
			assertThat(Locks.refusal(context).getSubject()).isEqualTo("Nameless#run(Integer) key");
			assertThat(Locks.refusal(context)).hasMessageContaining("#orderId")
				.hasMessageContaining("-parameters")
				.hasMessageContaining("#p0");
		});
	}

	@ParameterizedTest
	@ValueSource(strings = { "#p0", "#a0", "#root.args[0]" })
	void indexesNeedNoParameterNames(String key, @TempDir Path directory) throws Exception {
		Class<?> type = compileWithoutParameterNames(key, directory);
		Locks.application(type).withClassLoader(type.getClassLoader()).run((context) -> {
			Method run = type.getMethod("run", Integer.class);
			run.invoke(context.getBean(type), 42);
			run.invoke(context.getBean(type), 43);
			assertThat(context.getBean(RecordingBackend.class).acquired()).containsExactly("42", "43");
		});
	}

	private static Class<?> compileWithoutParameterNames(String key, Path directory) throws Exception {
		JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
		String source = """
				public class Nameless {
					@org.lockspring.annotation.DistributedLock("%s")
					public void run(Integer orderId) {
					}
				}
				""".formatted(key);
		JavaFileObject file = new SimpleJavaFileObject(URI.create("string:///Nameless.java"),
				JavaFileObject.Kind.SOURCE) {

			@Override
			public CharSequence getCharContent(boolean ignoreEncodingErrors) {
				return source;
			}

		};
		Files.createDirectories(directory);
		try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
			List<String> options = List.of("-proc:none", "-d", directory.toString(), "-cp",
					System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")));
			assertThat(compiler.getTask(null, files, null, options, null, List.of(file)).call()).isTrue();
		}
		return new URLClassLoader(new URL[] { directory.toUri().toURL() }, LockKeyUseTests.class.getClassLoader())
			.loadClass("Nameless");
	}

	private static String onAnotherThread(Callable<String> callable) {
		try {
			return CompletableFuture.supplyAsync(() -> {
				try {
					return callable.call();
				}
				catch (Exception ex) {
					throw new IllegalStateException(ex);
				}
			}).get(10, TimeUnit.SECONDS);
		}
		catch (Exception ex) {
			throw new IllegalStateException(ex);
		}
	}

	static class Orders {

		private int bodies;

		int bodies() {
			return this.bodies;
		}

		@DistributedLock("'order:' + #id")
		public void ship(@Nullable Long id) {
			this.bodies++;
		}

		@DistributedLock("order:#{#id}")
		public void cancel(Long id) {
			this.bodies++;
		}

		@DistributedLock("#id")
		public void meet(Long id, CountDownLatch bothInside) {
			bothInside.countDown();
			try {
				assertThat(bothInside.await(10, TimeUnit.SECONDS)).isTrue();
			}
			catch (InterruptedException ex) {
				throw new IllegalStateException(ex);
			}
		}

	}

	static class Configured {

		@DistributedLock("${app.job}")
		public void literal(String tenant) {
		}

		@DistributedLock("${app.key}")
		public void expression(String tenant) {
		}

		@DistributedLock("${app.prefix}:#{#tenant}")
		public void template(String tenant) {
		}

		@DistributedLock("${app.outer}")
		public void outer(String tenant) {
		}

	}

	static class Keyless {

		@DistributedLock
		public void run() {
		}

	}

	static class Daily {

		@DistributedLock("daily")
		public String run(Callable<String> body) throws Exception {
			return body.call();
		}

	}

}
