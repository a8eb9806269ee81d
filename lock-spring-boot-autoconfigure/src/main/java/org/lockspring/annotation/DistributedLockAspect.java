package org.lockspring.annotation;

import java.lang.reflect.Method;

import org.aspectj.lang.Aspects;
import org.aspectj.lang.NoAspectBoundException;
import org.aspectj.lang.ProceedingJoinPoint;
import org.aspectj.lang.annotation.Around;
import org.aspectj.lang.annotation.Aspect;
import org.aspectj.lang.annotation.Pointcut;
import org.aspectj.lang.reflect.MethodSignature;
import org.jspecify.annotations.Nullable;
import org.lockspring.InvalidLockDefinitionException;

/**
 * Takes the locks of {@link DistributedLock} methods that AspectJ wove, when their
 * classes were loaded or compiled. Serves what a proxy cannot: calls on {@code this},
 * final, private and static methods, objects that Spring does not manage.
 * <p>
 * Set {@code lock.annotation.mode=aspectj} and list this aspect in your own
 * {@code META-INF/aop.xml}. The library ships none: a weaver would apply it in every
 * application that has one for other purposes, also with proxies, and would not know
 * which classes to include.
 * <p>
 * Woven are annotated methods, public methods of annotated types and their subtypes, and
 * the same for annotations that are annotated themselves, one level deep. Whether an
 * annotation on an interface method or an overridden one is seen depends on the weaver:
 * where the application context finds a declared lock that is not woven, its start ends.
 * <p>
 * One aspect serves the whole class loader, and the application context that was started
 * last. Before it, or after it was closed, a woven method throws
 * {@link IllegalStateException} and does not run.
 *
 * @since 0.1.0
 */
@Aspect
public class DistributedLockAspect {

	// A weaver knows no imports
	private static final String ONE = "@org.lockspring.annotation.DistributedLock";

	private static final String SEVERAL = "@org.lockspring.annotation.DistributedLocks";

	private volatile @Nullable LockInterceptor interceptor;

	@Pointcut("execution(" + ONE + " * *(..)) || execution(" + SEVERAL + " * *(..)) || execution(@(" + ONE
			+ " *) * *(..)) || execution(@(" + SEVERAL + " *) * *(..))")
	void annotatedMethod() {
	}

	@Pointcut("execution(public !static * ((" + ONE + " *)+).*(..)) || execution(public !static * ((" + SEVERAL
			+ " *)+).*(..)) || execution(public !static * ((@(" + ONE + " *) *)+).*(..))"
			+ " || execution(public !static * ((@(" + SEVERAL + " *) *)+).*(..))")
	void methodOfAnnotatedType() {
	}

	/**
	 * Run a method under its locks.
	 * @param joinPoint the method
	 * @return what the method returns
	 * @throws Throwable what the method throws
	 */
	@Around("annotatedMethod() || methodOfAnnotatedType()")
	public @Nullable Object lock(ProceedingJoinPoint joinPoint) throws Throwable {
		Method method = ((MethodSignature) joinPoint.getSignature()).getMethod();
		LockInterceptor interceptor = this.interceptor;
		if (interceptor == null) {
			throw new IllegalStateException(LockedMethod.describe(method, method.getDeclaringClass())
					+ " was woven with DistributedLockAspect, but no application context has configured it. "
					+ "Set lock.annotation.mode=aspectj, and do not call the method before the context is started");
		}
		Object target = joinPoint.getTarget();
		Class<?> targetClass = (target != null) ? target.getClass() : method.getDeclaringClass();
		return interceptor.invoke(method, targetClass, target, joinPoint.getArgs(), joinPoint::proceed);
	}

	static void configure(LockInterceptor interceptor) {
		try {
			Aspects.aspectOf(DistributedLockAspect.class).interceptor = interceptor;
		}
		catch (NoAspectBoundException ex) {
			throw new InvalidLockDefinitionException("lock.annotation.mode",
					"it is aspectj, but no weaver knows " + DistributedLockAspect.class.getName(),
					"List the aspect in META-INF/aop.xml and start with the weaver's agent, or weave when compiling",
					ex);
		}
	}

	/**
	 * Forget the interceptor, unless another context has set its own in the meantime.
	 */
	static void release(LockInterceptor interceptor) {
		DistributedLockAspect aspect = Aspects.aspectOf(DistributedLockAspect.class);
		if (aspect.interceptor == interceptor) {
			aspect.interceptor = null;
		}
	}

}
