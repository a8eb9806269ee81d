package org.lockspring.autoconfigure;

import org.lockspring.memory.MemoryLockBackend;
import org.springframework.boot.autoconfigure.condition.AnyNestedCondition;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;

/**
 * Only by name: a lock that is not distributed must not be taken for one that is.
 */
@Configuration(proxyBeanMethods = false)
@Conditional(MemoryLockConfiguration.OnMemoryBackend.class)
class MemoryLockConfiguration {

	@Bean
	@ConditionalOnMissingBean
	MemoryLockBackend memoryLockBackend() {
		return new MemoryLockBackend();
	}

	static class OnMemoryBackend extends AnyNestedCondition {

		OnMemoryBackend() {
			super(ConfigurationPhase.REGISTER_BEAN);
		}

		@ConditionalOnProperty(name = "lock.efficiency.backend", havingValue = "memory")
		static class ForEfficiency {

		}

		@ConditionalOnProperty(name = "lock.correctness.backend", havingValue = "memory")
		static class ForCorrectness {

		}

	}

}
