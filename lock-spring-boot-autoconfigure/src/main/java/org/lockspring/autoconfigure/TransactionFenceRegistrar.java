package org.lockspring.autoconfigure;

import java.util.ArrayList;
import java.util.List;

import org.lockspring.transaction.TransactionFence;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.transaction.ConfigurableTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionExecutionListener;

/**
 * Adds the fence to every transaction manager, also to those that Boot's customizers do
 * not reach.
 */
class TransactionFenceRegistrar implements BeanPostProcessor {

	private final ObjectProvider<TransactionFence> fence;

	TransactionFenceRegistrar(ObjectProvider<TransactionFence> fence) {
		this.fence = fence;
	}

	@Override
	public Object postProcessAfterInitialization(Object bean, String beanName) {
		if (bean instanceof PlatformTransactionManager && bean instanceof ConfigurableTransactionManager manager) {
			TransactionFence listener = this.fence.getObject();
			if (!manager.getTransactionExecutionListeners().contains(listener)) {
				List<TransactionExecutionListener> listeners = new ArrayList<>(
						manager.getTransactionExecutionListeners());
				listeners.add(listener);
				manager.setTransactionExecutionListeners(listeners);
			}
		}
		return bean;
	}

}
