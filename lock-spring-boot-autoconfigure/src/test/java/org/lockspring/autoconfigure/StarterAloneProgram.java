package org.lockspring.autoconfigure;

import org.lockspring.LockMode;
import org.lockspring.annotation.DistributedLock;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

/**
 * An application that has the starter and nothing else.
 */
final class StarterAloneProgram {

	private StarterAloneProgram() {
	}

	public static void main(String[] args) {
		try (ConfigurableApplicationContext context = new SpringApplicationBuilder(Application.class)
			.web(WebApplicationType.NONE)
			.run(args)) {
			Jobs jobs = context.getBean(Jobs.class);
			jobs.efficiently();
			jobs.correctly();
		}
		System.out.println("ENDED");
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@Import(Jobs.class)
	static class Application {

	}

	static class Jobs {

		@DistributedLock(key = "job")
		void efficiently() {
		}

		@DistributedLock(key = "job", mode = LockMode.CORRECTNESS)
		void correctly() {
		}

	}

}
