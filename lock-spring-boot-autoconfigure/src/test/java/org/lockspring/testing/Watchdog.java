package org.lockspring.testing;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/**
 * Kills and deletes what is left when this JVM ends, also if it ends without running its
 * shutdown hooks: a shell that reads process ids from a pipe, and acts when the pipe is
 * closed.
 */
final class Watchdog {

	private static final String SCRIPT = """
			alive=' '
			trap '' INT TERM HUP
			while read -r change what; do
				case $change in
					add) alive="$alive$what " ;;
					remove) alive="${alive%% $what *} ${alive#* $what }" ;;
					delete) set -- "$@" "$what" ;;
				esac
			done
			for pid in $alive; do kill -9 "$pid"; done
			for directory; do rm -rf -- "$directory"; done
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

	static void deleteAtTheEnd(Path directory) {
		instance.tell("delete", directory);
	}

	private synchronized void tell(String change, Object what) {
		try {
			this.changes.write((change + " " + what + "\n").getBytes(StandardCharsets.UTF_8));
			this.changes.flush();
		}
		catch (IOException ex) {
			throw new UncheckedIOException("The watchdog is gone", ex);
		}
	}

}
