package org.lockspring.annotation;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.Callable;

import kotlin.coroutines.Continuation;
import kotlinx.coroutines.flow.Flow;
import org.junit.jupiter.api.Test;
import org.lockspring.autoconfigure.LockReactiveAutoConfiguration;
import reactor.core.publisher.Mono;

import org.springframework.boot.autoconfigure.AutoConfigurations;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Class paths that lack what coroutines need.
 */
class CoroutineLibrariesTests {

	@Test
	void withoutTheBridgeToReactorTheStartEndsAndNamesIt() throws Exception {
		assertThat(without("kotlinx-coroutines-reactor", SuspendingIsRefused.class))
			.contains("org.jetbrains.kotlinx:kotlinx-coroutines-reactor");
		assertThat(without("kotlinx-coroutines-reactor", FlowIsRefused.class))
			.contains("org.jetbrains.kotlinx:kotlinx-coroutines-reactor");
	}

	@Test
	void withoutReflectionTheStartEndsAndNamesIt() throws Exception {
		assertThat(without("kotlin-reflect", SuspendingIsRefused.class)).contains("org.jetbrains.kotlin:kotlin-reflect")
			.doesNotContain("kotlinx");
	}

	@Test
	void withoutKotlinReactiveMethodsAreLocked() throws Exception {
		assertThat(without("kotlin", MonoIsLocked.class)).isEqualTo("locked");
	}

	private static String without(String library, Class<? extends Callable<String>> scenario) throws Exception {
		URL[] urls = Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
			.map(Path::of)
			.filter((path) -> !path.getFileName().toString().startsWith(library))
			.map(CoroutineLibrariesTests::url)
			.toArray(URL[]::new);
		Thread thread = Thread.currentThread();
		ClassLoader before = thread.getContextClassLoader();
		try (URLClassLoader loader = new URLClassLoader(urls, ClassLoader.getPlatformClassLoader())) {
			thread.setContextClassLoader(loader);
			var constructor = loader.loadClass(scenario.getName()).getDeclaredConstructor();
			constructor.setAccessible(true);
			return (String) ((Callable<?>) constructor.newInstance()).call();
		}
		finally {
			thread.setContextClassLoader(before);
		}
	}

	private static URL url(Path path) {
		try {
			return path.toUri().toURL();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static String refusal(Class<?> bean) {
		String[] message = new String[1];
		Locks.application(bean).run((context) -> message[0] = Locks.refusal(context).getMessage());
		return message[0];
	}

	static class SuspendingIsRefused implements Callable<String> {

		@Override
		public String call() {
			return refusal(Suspending.class);
		}

	}

	static class FlowIsRefused implements Callable<String> {

		@Override
		public String call() {
			return refusal(Flowing.class);
		}

	}

	static class MonoIsLocked implements Callable<String> {

		@Override
		public String call() {
			String[] result = new String[1];
			Locks.application(Reactive.class)
				.withConfiguration(AutoConfigurations.of(LockReactiveAutoConfiguration.class))
				.run((context) -> {
					result[0] = context.getBean(Reactive.class).run().block();
					assertThat(context.getBean(RecordingBackend.class).acquired()).containsExactly("k");
				});
			return result[0];
		}

	}

	static class Suspending {

		/** What the compiler of Kotlin makes of a function that suspends. */
		@DistributedLock("k")
		public Object run(Continuation<? super String> continuation) {
			return "ran";
		}

	}

	static class Flowing {

		@DistributedLock("k")
		public Flow<String> run() {
			throw new IllegalStateException();
		}

	}

	static class Reactive {

		@DistributedLock("k")
		public Mono<String> run() {
			return Mono.just("locked");
		}

	}

}
