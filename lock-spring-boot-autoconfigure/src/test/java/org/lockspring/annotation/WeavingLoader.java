package org.lockspring.annotation;

import java.io.IOException;
import java.lang.instrument.IllegalClassFormatException;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.Enumeration;
import java.util.Set;
import java.util.concurrent.Callable;

import org.aspectj.weaver.loadtime.ClassPreProcessorAgentAdapter;

import org.springframework.core.OverridingClassLoader;

/**
 * Loads this library's classes once more, and lets AspectJ weave them meanwhile, as its
 * agent would.
 */
class WeavingLoader extends OverridingClassLoader {

	private static final String AOP_XML = """
			<aspectj>
				<weaver options="-warn:none">
					<include within="org.lockspring.annotation.WovenClasses..*"/>
					<include within="org.lockspring.annotation.DistributedLockAspect"/>
				</weaver>
				<aspects>
					<aspect name="org.lockspring.annotation.DistributedLockAspect"/>
				</aspects>
			</aspectj>
			""";

	private final ClassPreProcessorAgentAdapter weaver = new ClassPreProcessorAgentAdapter();

	private final URL aopXml;

	WeavingLoader(Path directory) throws IOException {
		super(WeavingLoader.class.getClassLoader());
		Path file = Files.writeString(directory.resolve("aop.xml"), AOP_XML);
		this.aopXml = file.toUri().toURL();
	}

	@Override
	protected boolean isEligibleForOverriding(String className) {
		return className.startsWith("org.lockspring.");
	}

	@Override
	protected byte[] transformIfNecessary(String name, byte[] bytes) {
		try {
			byte[] woven = this.weaver.transform(this, name.replace('.', '/'), null, null, bytes);
			return (woven != null) ? woven : bytes;
		}
		catch (IllegalClassFormatException ex) {
			throw new IllegalStateException(ex);
		}
	}

	@Override
	public Enumeration<URL> getResources(String name) throws IOException {
		return name.equals("META-INF/aop.xml") ? Collections.enumeration(Set.of(this.aopXml))
				: super.getResources(name);
	}

	/** Run a scenario among the woven classes. */
	Object run(Class<? extends Callable<?>> scenario) throws Exception {
		Thread thread = Thread.currentThread();
		ClassLoader before = thread.getContextClassLoader();
		thread.setContextClassLoader(this);
		try {
			var constructor = loadClass(scenario.getName()).getDeclaredConstructor();
			constructor.setAccessible(true);
			return ((Callable<?>) constructor.newInstance()).call();
		}
		finally {
			thread.setContextClassLoader(before);
		}
	}

}
