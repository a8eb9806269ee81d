package org.lockspring.faults.history;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

class HistoryFileTests {

	@TempDir
	Path directory;

	private final Operation begun = Operation.begin("a-1", "a", "counter", List.of("k"));

	@Test
	void operationThatEndedIsReadOnceAsItEnded() {
		Operation ended = new Operation("a-1", "a", "counter", List.of("k"), this.begun.start(), 2L, 3L, 4L, Outcome.OK,
				null, List.of(new Held("k", 1_795_989_009_476_177L, true)));
		try (HistoryFile file = new HistoryFile(this.directory.resolve("x/a.jsonl"))) {
			file.write(this.begun);
			file.write(ended);
		}
		assertThat(HistoryFile.readAll(this.directory.resolve("x"))).containsExactly(ended);
	}

	@Test
	void operationOfAKilledWorkerIsUnknown() throws Exception {
		Path path = this.directory.resolve("a.jsonl");
		try (HistoryFile file = new HistoryFile(path)) {
			file.write(this.begun);
		}
		Files.writeString(path, "{\"id\":\"a-1\",\"worker\":\"a\",\"outcome\":\"O", StandardOpenOption.APPEND);
		assertThat(HistoryFile.readAll(this.directory)).containsExactly(this.begun);
		assertThat(this.begun.outcome()).isEqualTo(Outcome.UNKNOWN);
	}

	@Test
	void operationsOfAllFilesAreInTheOrderOfTheirStarts() {
		try (HistoryFile file = new HistoryFile(this.directory.resolve("b.jsonl"))) {
			file.write(this.begun);
		}
		Operation later = Operation.begin("b-1", "b", "counter", List.of("k"));
		try (HistoryFile file = new HistoryFile(this.directory.resolve("a.jsonl"))) {
			file.write(later);
		}
		assertThat(HistoryFile.readAll(this.directory)).containsExactly(this.begun, later);
	}

}
