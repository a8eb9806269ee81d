package org.lockspring.faults.report;

import java.io.StringReader;
import java.time.Duration;
import java.util.List;

import javax.xml.parsers.DocumentBuilderFactory;

import org.junit.jupiter.api.Test;
import org.lockspring.faults.history.Held;
import org.lockspring.faults.history.History;
import org.lockspring.faults.history.Injected;
import org.lockspring.faults.history.Operation;
import org.lockspring.faults.history.Outcome;
import org.w3c.dom.Element;
import org.xml.sax.InputSource;

import static org.assertj.core.api.Assertions.assertThat;

class TimelineTests {

	private static final String VALID = "#2a8f4f";

	private static final String NO_LONGER_VALID = "#e08a1e";

	@Test
	void showsHoldersTokensFaultsAndRefusedWrites() throws Exception {
		History history = history(holder("a", 1L, true, null), holder("b", 2L, false, "StaleFencingTokenException"));
		String svg = new Timeline(history, "k").draw();
		assertThat(svg).contains(VALID, NO_LONGER_VALID, "worker-pause 1 for 750 ms");
		Element root = parse(svg);
		assertThat(root.getElementsByTagName("circle").getLength()).isEqualTo(2);
		assertThat(root.getElementsByTagName("path").getLength()).isOne();
	}

	@Test
	void drawsAlsoWhereNobodyHeldTheKey() throws Exception {
		assertThat(parse(new Timeline(history(), "k").draw()).getTagName()).isEqualTo("svg");
	}

	private static History history(Operation... operations) {
		return new History(List.of(operations), List.of(),
				List.of(new Injected("700 ms: worker-pause 1 for 750 ms", 1_000_000_000L, 1_750_000_000L)), 0,
				Duration.ZERO, Duration.ZERO, List.of());
	}

	private static Operation holder(String id, long token, boolean valid, String error) {
		long start = token * 1_000_000_000;
		return new Operation(id, "w" + token, "counter", List.of("k"), start, start + 1, start + 500_000_000,
				start + 600_000_000, Outcome.OK, error, List.of(new Held("k", token, valid)));
	}

	private static Element parse(String svg) throws Exception {
		return DocumentBuilderFactory.newInstance()
			.newDocumentBuilder()
			.parse(new InputSource(new StringReader(svg)))
			.getDocumentElement();
	}

}
