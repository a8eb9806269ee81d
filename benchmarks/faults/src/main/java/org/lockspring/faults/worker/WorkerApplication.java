package org.lockspring.faults.worker;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.SpringBootApplication;

/**
 * A worker: an ordinary application with the starter.
 */
@SpringBootApplication(proxyBeanMethods = false, scanBasePackages = { "org.lockspring.faults.worker",
		"org.lockspring.faults.workload", "org.lockspring.faults.control", "org.lockspring.faults.peer" })
class WorkerApplication {

	public static void main(String[] args) {
		SpringApplication application = new SpringApplication(WorkerApplication.class);
		application.setWebApplicationType(WebApplicationType.NONE);
		application.run(args);
	}

}
