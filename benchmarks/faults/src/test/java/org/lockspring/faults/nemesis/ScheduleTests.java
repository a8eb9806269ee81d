package org.lockspring.faults.nemesis;

import java.time.Duration;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.lockspring.faults.workload.Timing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

class ScheduleTests {

	private static final List<Nemesis> COMBINED = List.of(Nemesis.CUT, Nemesis.WORKER_PAUSE, Nemesis.STORE_KILL,
			Nemesis.WORKER_KILL);

	@ParameterizedTest
	@EnumSource
	void sameSeedGivesTheSameFaults(Nemesis nemesis) {
		assertThat(schedule(17, "redis/x", nemesis)).isEqualTo(schedule(17, "redis/x", nemesis));
		assertThat(schedule(17, "redis/x", nemesis).faults()).hasSizeGreaterThan(3);
	}

	@Test
	void faultsOfASeedAreTheseForever() {
		assertThat(Schedule.of(1, "redis/worker-pause", Nemesis.WORKER_PAUSE, COMBINED, Duration.ofSeconds(10)))
			.hasToString("Schedule[faults=[1094 ms: worker-pause 0 for 2250 ms, 4955 ms: worker-pause 1 for 4500 ms]]");
	}

	@Test
	void otherSeedAndOtherRunGiveOtherFaults() {
		Schedule schedule = schedule(17, "redis/x", Nemesis.PARTITION);
		assertThat(schedule(18, "redis/x", Nemesis.PARTITION)).isNotEqualTo(schedule);
		assertThat(schedule(17, "redis/y", Nemesis.PARTITION)).isNotEqualTo(schedule);
	}

	@Test
	void orderOfWhatMayBeCombinedDoesNotMatter() {
		assertThat(Schedule.of(1, "x", Nemesis.COMBINED, COMBINED.stream().sorted().toList(), Duration.ofMinutes(1)))
			.isEqualTo(Schedule.of(1, "x", Nemesis.COMBINED, COMBINED, Duration.ofMinutes(1)));
	}

	@Test
	void combinedFaultsAreOneOfAWorkerAndOneOfTheStore() {
		Schedule schedule = schedule(3, "x", Nemesis.COMBINED);
		assertThat(schedule.faults().stream().filter((fault) -> fault.kind().hitsWorkers()))
			.hasSize(schedule.faults().size() / 2);
	}

	@Test
	void everyStepBackOfAClockAddsToTheRecovery() {
		Fault step = new Fault(Nemesis.STORE_CLOCK_BACK, 1000, 0, 1, 0);
		Duration once = new Schedule(List.of(step)).recovery();
		assertThat(new Schedule(List.of(step, step)).recovery()).isEqualTo(once.plus(Timing.STEP_BACK));
	}

	@Test
	void clockThatIsWrongIsAlwaysTheSame() {
		assertThat(schedule(5, "x", Nemesis.STORE_CLOCK_AHEAD).faults()).extracting(Fault::target, Fault::width)
			.containsOnly(tuple(schedule(5, "x", Nemesis.STORE_CLOCK_AHEAD).faults().get(0).target(), 1));
	}

	private static Schedule schedule(long seed, String run, Nemesis nemesis) {
		return Schedule.of(seed, run, nemesis, COMBINED, Duration.ofSeconds(40));
	}

}
