package org.lockspring.autoconfigure;

import org.lockspring.fencing.FencingGuard;
import org.lockspring.transaction.DeferredRelease;
import org.lockspring.transaction.TransactionFence;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.util.function.SingletonSupplier;

/**
 * Auto-configuration of what ties locks to transactions: the guard of the database, the
 * fence around every transaction, and the release after an open one.
 *
 * @since 0.1.0
 */
@AutoConfiguration(before = LockAutoConfiguration.class,
		afterName = "org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration")
@ConditionalOnClass(TransactionExecutionListener.class)
@EnableConfigurationProperties(LockFencingProperties.class)
@Import(JdbcFencingConfiguration.class)
public final class LockFencingAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean
	TransactionFence transactionFence(ObjectProvider<FencingGuard> guards, LockFencingProperties properties) {
		// Late: transaction managers need the fence, a guard may need what they need
		return new TransactionFence(SingletonSupplier.of(() -> guards.orderedStream().toList()),
				properties.claimOnAcquire());
	}

	@Bean
	@ConditionalOnMissingBean
	DeferredRelease deferredRelease() {
		return new DeferredRelease();
	}

	@Bean
	static TransactionFenceRegistrar transactionFenceRegistrar(ObjectProvider<TransactionFence> fence) {
		return new TransactionFenceRegistrar(fence);
	}

}
