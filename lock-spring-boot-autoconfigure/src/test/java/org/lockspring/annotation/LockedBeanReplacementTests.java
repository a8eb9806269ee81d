package org.lockspring.annotation;

import org.junit.jupiter.api.Test;
import org.lockspring.autoconfigure.LockAnnotationAutoConfiguration;
import org.lockspring.autoconfigure.LockAutoConfiguration;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.test.context.bean.override.convention.TestBean;
import org.springframework.test.context.bean.override.mockito.MockitoBean;
import org.springframework.test.context.bean.override.mockito.MockitoSpyBean;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.BDDMockito.given;

/**
 * A user's test replaces beans that take locks.
 */
@SpringBootTest(classes = LockedBeanReplacementTests.Application.class)
class LockedBeanReplacementTests {

	@MockitoBean
	private Mocked mocked;

	@TestBean
	private Faked faked;

	@MockitoSpyBean
	private Spied spied;

	@Autowired
	private RecordingBackend backend;

	static Faked faked() {
		return new Faked() {

			@Override
			public String run() {
				return "fake";
			}

		};
	}

	@Test
	void replacementsTakeNoLockAndSpiesDo() {
		given(this.mocked.run()).willReturn("mock");
		assertThat(this.mocked.run()).isEqualTo("mock");
		assertThat(this.faked.run()).isEqualTo("fake");
		assertThat(this.backend.acquired()).isEmpty();
		assertThat(this.spied.run()).isEqualTo("real");
		assertThat(this.backend.acquired()).containsExactly("spied");
	}

	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration({ LockAutoConfiguration.class, LockAnnotationAutoConfiguration.class })
	@Import({ RecordingBackend.class, Mocked.class, Faked.class, Spied.class })
	static class Application {

	}

	static class Mocked {

		@DistributedLock("mocked")
		public String run() {
			return "real";
		}

	}

	static class Faked {

		@DistributedLock("faked")
		public String run() {
			return "real";
		}

	}

	static class Spied {

		@DistributedLock("spied")
		public String run() {
			return "real";
		}

	}

}
