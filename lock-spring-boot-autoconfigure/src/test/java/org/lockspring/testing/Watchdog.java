package org.lockspring.testing;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/**
 * Kills what is left when this JVM ends, also if it ends without running its shutdown
 * hooks: a shell that reads process ids from a pipe, and acts when the pipe is closed.
 */
final class Watchdog {

	private static final String SCRIPT = """
			alive=' '
			trap '' INT TERM HUP
			while read -r change pid; do
				case $change in
					add) alive="$alive$pid " ;;
					remove) alive="${alive%% $pid *} ${alive#* $pid }" ;;
				esac
			done
			for pid in $alive; do kill -9 "$pid"; done
			""";

	private static final Watchdog instance = new Watchdog();

	private final OutputStream changes;

	private Watchdog() {
		try {
			this.changes = new ProcessBuilder("sh", "-c", SCRIPT).redirectError(ProcessBuilder.Redirect.DISCARD)
				.redirectOutput(ProcessBuilder.Redirect.DISCARD)
				.start()
				.getOutputStream();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	static void watch(long pid) {
		instance.tell("add", pid);
	}

	static void forget(long pid) {
		instance.tell("remove", pid);
	}

	private synchronized void tell(String change, long pid) {
		try {
			this.changes.write((change + " " + pid + "\n").getBytes(StandardCharsets.US_ASCII));
			this.changes.flush();
		}
		catch (IOException ex) {
			throw new UncheckedIOException("The watchdog is gone", ex);
		}
	}

}
