package org.lockspring.autoconfigure;

import org.lockspring.core.LockTemplate;
import org.lockspring.core.ReactiveLockTemplate;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import reactor.core.publisher.Flux;

/**
 * {@link org.springframework.boot.autoconfigure.EnableAutoConfiguration
 * Auto-configuration} for {@link ReactiveLockTemplate}.
 *
 * @since 0.1.0
 */
@AutoConfiguration(after = LockAutoConfiguration.class)
@ConditionalOnClass(Flux.class)
@ConditionalOnBean(LockTemplate.class)
public final class LockReactiveAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean
	ReactiveLockTemplate reactiveLockTemplate(LockTemplate template) {
		return new ReactiveLockTemplate(template);
	}

}
