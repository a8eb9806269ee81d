package org.lockspring.annotation;

import java.lang.reflect.Method;
import java.util.concurrent.atomic.AtomicBoolean;

import org.aopalliance.aop.Advice;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.lockspring.InvalidLockDefinitionException;
import org.springframework.aop.Advisor;
import org.springframework.aop.Pointcut;
import org.springframework.aop.PointcutAdvisor;
import org.springframework.aop.interceptor.AsyncExecutionInterceptor;
import org.springframework.core.Ordered;

/**
 * Sees to it that a transaction lies inside the lock: else the lock would be free before
 * the commit. And that the work of a method lies inside it, not on a thread that outlives
 * it.
 */
final class LockOrderCheck {

	private static final Log logger = LogFactory.getLog(LockOrderCheck.class);

	// By name: transactions are optional
	private static final String TRANSACTION_ADVICE = "org.springframework.transaction.interceptor.TransactionInterceptor";

	private final DistributedLockBeanPostProcessor postProcessor;

	private final AtomicBoolean warned = new AtomicBoolean();

	LockOrderCheck(DistributedLockBeanPostProcessor postProcessor) {
		this.postProcessor = postProcessor;
	}

	void check(ProxyChain chain, LockedMethod lockedMethod, Class<?> type) {
		Method method = lockedMethod.method();
		boolean locked = false;
		int lockOrder = this.postProcessor.getOrder();
		for (Advisor advisor : chain.advisors()) {
			if (this.postProcessor.isLockAdvisor(advisor)) {
				locked = true;
			}
			else if (locked && advisor.getAdvice() instanceof AsyncExecutionInterceptor
					&& appliesTo(advisor, method, type) && lockedMethod.result().kind() != LockedResult.Kind.STAGE) {
				throw new InvalidLockDefinitionException(LockedMethod.describe(method, type),
						"the lock (lock.annotation.order %d) lies outside of @Async: it would end before the work does"
							.formatted(lockOrder),
						"Lower lock.annotation.order, so that the thread that does the work takes the lock, or return CompletableFuture");
			}
			else if (isTransactional(advisor) && appliesTo(advisor, method, type)) {
				int order = (advisor instanceof Ordered ordered) ? ordered.getOrder() : Ordered.LOWEST_PRECEDENCE;
				if (!locked) {
					throw new InvalidLockDefinitionException(LockedMethod.describe(method, type),
							"the transaction (order %d) lies outside of the lock (lock.annotation.order %d): the lock would be free before the commit"
								.formatted(order, lockOrder),
							"Raise lock.annotation.order, so that the lock is added later and lies outside, or create the transaction proxy earlier");
				}
				if (order <= lockOrder && this.warned.compareAndSet(false, true)) {
					logger.warn(
							"Transactions have order %d and locks lock.annotation.order %d. Locks still lie outside of transactions, as at %s: their order is that of the post-processor, not of an advisor"
								.formatted(order, lockOrder, LockedMethod.describe(method, type)));
				}
			}
		}
	}

	private static boolean isTransactional(Advisor advisor) {
		Advice advice = advisor.getAdvice();
		for (Class<?> type = advice.getClass(); type != null; type = type.getSuperclass()) {
			if (type.getName().equals(TRANSACTION_ADVICE)) {
				return true;
			}
		}
		return false;
	}

	private static boolean appliesTo(Advisor advisor, Method method, Class<?> type) {
		if (!(advisor instanceof PointcutAdvisor pointcutAdvisor)) {
			return true;
		}
		Pointcut pointcut = pointcutAdvisor.getPointcut();
		return pointcut.getClassFilter().matches(type) && pointcut.getMethodMatcher().matches(method, type);
	}

}
