package org.lockspring.autoconfigure;

import org.lockspring.annotation.DistributedLock;
import org.lockspring.annotation.LockDefinitionValidator;
import org.lockspring.core.LockBackends;
import org.lockspring.core.LockSettings;
import org.lockspring.fencing.FencingGuard;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.ImportSelector;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotationMetadata;

/**
 * {@link org.springframework.boot.autoconfigure.EnableAutoConfiguration
 * Auto-configuration} for {@link DistributedLock @DistributedLock}.
 *
 * @since 0.1.0
 */
@AutoConfiguration(after = LockAutoConfiguration.class)
@EnableConfigurationProperties(LockAnnotationProperties.class)
@Import(LockAnnotationAutoConfiguration.WeavingSelector.class)
public final class LockAnnotationAutoConfiguration {

	@Bean
	LockStartCheck lockStartCheck(LockDefinitionValidator definitions, ObjectProvider<LockBackends> backends,
			ObjectProvider<LockSettings> settings, ObjectProvider<FencingGuard> guards,
			ObjectProvider<FenceTableCheck> fenceTable) {
		return new LockStartCheck(definitions, backends, settings, guards, fenceTable);
	}

	@Bean
	LockAssumptionReport lockAssumptionReport(LockDefinitionValidator definitions,
			ObjectProvider<LockBackends> backends) {
		return new LockAssumptionReport(definitions, backends);
	}

	/**
	 * Return the properties without a bean of them: post-processors come before those.
	 */
	static LockAnnotationProperties properties(Environment environment) {
		return Binder.get(environment).bindOrCreate("lock.annotation", LockAnnotationProperties.class);
	}

	/**
	 * Not a condition: a mode that does not exist must end the start, and not leave
	 * methods unlocked.
	 */
	static final class WeavingSelector implements ImportSelector {

		private final Environment environment;

		WeavingSelector(Environment environment) {
			this.environment = environment;
		}

		@Override
		public String[] selectImports(AnnotationMetadata importingClassMetadata) {
			Class<?> selected = switch (properties(this.environment).mode()) {
				case PROXY -> LockProxyConfiguration.class;
				case ASPECTJ -> LockAspectConfiguration.class;
			};
			return new String[] { selected.getName() };
		}

	}

}
