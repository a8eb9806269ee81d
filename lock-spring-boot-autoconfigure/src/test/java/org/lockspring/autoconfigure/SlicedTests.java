package org.lockspring.autoconfigure;

import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.lockspring.CurrentLock;
import org.lockspring.annotation.DistributedLock;
import org.lockspring.core.LockTemplate;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.data.jpa.test.autoconfigure.DataJpaTest;
import org.springframework.boot.test.autoconfigure.json.JsonTest;
import org.springframework.boot.test.json.JacksonTester;
import org.springframework.boot.webmvc.test.autoconfigure.WebMvcTest;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Import;
import org.springframework.test.context.ContextConfiguration;
import org.springframework.test.context.TestPropertySource;
import org.springframework.test.web.servlet.assertj.MockMvcTester;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests of a user that start a slice of an application with locks, where no Redis runs.
 */
@TestPropertySource(properties = "spring.data.redis.port=1")
class SlicedTests {

	@Nested
	@WebMvcTest
	@ContextConfiguration(classes = { Application.class, Orders.class })
	class OfTheWeb {

		@Autowired
		private MockMvcTester mvc;

		@Autowired
		private ApplicationContext context;

		@Test
		void takesNoLock() {
			assertThat(this.mvc.get().uri("/order")).hasStatusOk().hasBodyTextEqualTo("held: false");
			assertThat(this.context.getBeanProvider(LockTemplate.class).getIfAvailable()).isNull();
		}

	}

	@Nested
	@WebMvcTest
	@ContextConfiguration(classes = { Application.class, Orders.class })
	@ImportAutoConfiguration({ LockAutoConfiguration.class, LockAnnotationAutoConfiguration.class })
	@TestPropertySource(properties = { "lock.efficiency.backend=memory", "lock.correctness.backend=memory" })
	class OfTheWebWithLocks {

		@Autowired
		private MockMvcTester mvc;

		@Test
		void takesTheLock() {
			assertThat(this.mvc.get().uri("/order")).hasStatusOk().hasBodyTextEqualTo("held: true");
		}

	}

	@Nested
	@DataJpaTest
	@ContextConfiguration(classes = Application.class)
	@Import(Orders.class)
	class OfTheRepositories {

		@Autowired
		private Orders orders;

		@Test
		void takesNoLock() {
			assertThat(this.orders.order()).isEqualTo("held: false");
		}

	}

	@Nested
	@JsonTest
	@ContextConfiguration(classes = Application.class)
	class OfJson {

		@Autowired
		private JacksonTester<Order> json;

		@Test
		void starts() throws Exception {
			assertThat(this.json.write(new Order())).hasJsonPath("id");
		}

	}

	@SpringBootConfiguration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class Application {

	}

	@RestController
	static class Orders {

		@GetMapping("/order")
		@DistributedLock("order")
		public String order() {
			return "held: " + CurrentLock.isHeld("order");
		}

	}

	@Entity(name = "sliced_order")
	static class Order {

		@Id
		long id;

		public long getId() {
			return this.id;
		}

	}

}
