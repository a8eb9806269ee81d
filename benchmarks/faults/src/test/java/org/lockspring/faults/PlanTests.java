package org.lockspring.faults;

import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.lockspring.faults.checker.Promise;
import org.lockspring.faults.matrix.Backend;
import org.lockspring.faults.matrix.Cell;
import org.lockspring.faults.matrix.Kind;
import org.lockspring.faults.matrix.Matrix;
import org.lockspring.faults.nemesis.Nemesis;

import static org.assertj.core.api.Assertions.assertThat;

class PlanTests {

	@Test
	void shortCampaignHasEveryStoreEveryFaultAndEveryControl() {
		Plan plan = plan("3m", 7);
		assertThat(plan.isSelection()).isTrue();
		assertThat(plan.cells()).extracting(Cell::backend).contains(Backend.values());
		assertThat(plan.cells()).extracting(Cell::nemesis).containsAll(EnumSet.allOf(Nemesis.class));
		assertThat(plan.cells().stream().filter((cell) -> cell.kind() == Kind.CONTROL))
			.hasSameSizeAs(Matrix.cells().stream().filter((cell) -> cell.kind() == Kind.CONTROL).toList());
	}

	@Test
	void longCampaignHasAllThereIs() {
		Plan plan = plan("1h", 7);
		assertThat(plan.isSelection()).isFalse();
		assertThat(plan.cells()).containsExactlyInAnyOrderElementsOf(Matrix.cells());
	}

	@Test
	void sameSeedSelectsTheSame() {
		assertThat(plan("3m", 7)).isEqualTo(plan("3m", 7));
		assertThat(plan("3m", 8).cells()).isNotEqualTo(plan("3m", 7).cells());
	}

	@Test
	void namesAreUnique() {
		assertThat(Matrix.cells()).extracting(Cell::name).doesNotHaveDuplicates();
	}

	@Test
	void whatAResourceAcceptedIsPromisedWhateverHappens() {
		List<Cell> correctness = Matrix.cells().stream().filter((cell) -> cell.kind() == Kind.CORRECTNESS).toList();
		assertThat(correctness).allSatisfy((cell) -> assertThat(cell.promised()).contains(Promise.ACCEPTED_RISE,
				Promise.NO_LOST_UPDATE, Promise.SUM_KEPT, Promise.OUTCOMES_TRUE));
	}

	@Test
	void whatIsNotPromisedHasAReason() {
		assertThat(Matrix.cells()).allSatisfy((cell) -> assertThat(cell.kind() == Kind.CORRECTNESS
				&& cell.promised().size() < Promise.values().length && cell.reason().isEmpty())
			.isFalse());
	}

	private static Plan plan(String duration, long seed) {
		return Plan.of(new Settings(Duration.parse("PT" + duration), seed, "", Path.of("x")));
	}

}
