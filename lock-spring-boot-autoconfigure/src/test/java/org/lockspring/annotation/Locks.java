package org.lockspring.annotation;

import org.lockspring.InvalidLockDefinitionException;
import org.lockspring.autoconfigure.LockAnnotationAutoConfiguration;
import org.lockspring.autoconfigure.LockAutoConfiguration;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.autoconfigure.context.PropertyPlaceholderAutoConfiguration;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.core.NestedExceptionUtils;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Applications with locks.
 */
final class Locks {

	private Locks() {
	}

	static ApplicationContextRunner application(Class<?>... beans) {
		ApplicationContextRunner runner = new ApplicationContextRunner()
			.withConfiguration(
					AutoConfigurations.of(AopAutoConfiguration.class, PropertyPlaceholderAutoConfiguration.class,
							LockAutoConfiguration.class, LockAnnotationAutoConfiguration.class))
			.withBean(RecordingBackend.class);
		return runner.withUserConfiguration(beans);
	}

	/** Return why the application did not start. */
	static InvalidLockDefinitionException refusal(AssertableApplicationContext context) {
		assertThat(context).hasFailed();
		Throwable failure = context.getStartupFailure();
		while (failure != null && !(failure instanceof InvalidLockDefinitionException)) {
			failure = failure.getCause();
		}
		assertThat(failure).as("%s", NestedExceptionUtils.getMostSpecificCause(context.getStartupFailure()))
			.isNotNull();
		return (InvalidLockDefinitionException) failure;
	}

}
