package org.lockspring.annotation;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import org.lockspring.CurrentLock;

/**
 * Woven by {@link WeavingLoader} only.
 */
final class WovenClasses {

	private WovenClasses() {
	}

	static class Service {

		public String outer(String id) {
			return inner(id);
		}

		@DistributedLock("'inner-' + #id")
		String inner(String id) {
			return CurrentLock.isHeld("inner-" + id) ? "held" : "free";
		}

		@DistributedLock("final")
		public final boolean finalMethod() {
			return CurrentLock.isHeld("final");
		}

		boolean callPrivate() {
			return privateMethod();
		}

		@DistributedLock("private")
		private boolean privateMethod() {
			return CurrentLock.isHeld("private");
		}

		@DistributedLock("static-#{#p0}")
		static boolean staticMethod(String id) {
			return CurrentLock.isHeld("static-" + id);
		}

		@Composed
		public boolean composed() {
			return CurrentLock.isHeld("composed");
		}

		@DistributedLock("r2")
		@DistributedLock("r1")
		public boolean repeated() {
			return CurrentLock.isHeld("r1") && CurrentLock.isHeld("r2");
		}

		@DistributedLock("composed")
		@Retention(RetentionPolicy.RUNTIME)
		@Target(ElementType.METHOD)
		@interface Composed {

		}

	}

	@DistributedLock("type")
	static class LockedType {

		void packagePrivate() {
		}

		@Override
		public String toString() {
			return "plain";
		}

	}

	static class Subclass extends LockedType {

		public void own() {
		}

	}

	static class Mistaken {

		@DistributedLock("#unknown")
		public void run(String id) {
		}

	}

	interface Api {

		@DistributedLock("interface")
		void run();

	}

	static class LockedByInterface implements Api {

		@Override
		public void run() {
		}

	}

}
