package org.lockspring.annotation;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

import org.springframework.aop.Advisor;
import org.springframework.aop.TargetSource;
import org.springframework.aop.framework.Advised;

/**
 * What a call passes on its way to a bean.
 *
 * @param advisors the advisors, outermost first, also those of a proxy around a proxy
 */
record ProxyChain(List<Advisor> advisors) {

	static ProxyChain of(Object bean) {
		List<Advisor> advisors = new ArrayList<>();
		collect(bean, advisors);
		return new ProxyChain(advisors);
	}

	private static void collect(Object bean, List<Advisor> advisors) {
		if (bean instanceof Advised advised) {
			advisors.addAll(List.of(advised.getAdvisors()));
			TargetSource targetSource = advised.getTargetSource();
			if (targetSource.isStatic()) {
				try {
					Object target = targetSource.getTarget();
					if (target != null) {
						collect(target, advisors);
					}
				}
				catch (Exception ex) {
					throw new IllegalStateException("No target behind " + targetSource, ex);
				}
			}
		}
	}

	boolean contains(Predicate<Advisor> predicate) {
		return this.advisors.stream().anyMatch(predicate);
	}

}
