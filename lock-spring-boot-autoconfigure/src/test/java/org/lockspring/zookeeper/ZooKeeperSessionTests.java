package org.lockspring.zookeeper;

import java.io.IOException;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import org.apache.curator.test.TestingServer;
import org.apache.zookeeper.AsyncCallback.DataCallback;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.ZooKeeper;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.lockspring.testing.UsesServer;

import static org.assertj.core.api.Assertions.assertThat;

@UsesServer("zookeeper")
class ZooKeeperSessionTests {

	/**
	 * When a session has ended, ZooKeeper's client answers on whichever thread is there,
	 * and holds the lock that every request needs. Found by the campaign of faults:
	 * zookeeper/lost-replies, seed 20261129.
	 */
	@Test
	void requestIsNotSentUnderALockThatItsAnswerNeeds() throws Exception {
		try (TestingServer server = ZooKeeperProcess.server();
				EndedHandle handle = new EndedHandle(server.getConnectString())) {
			ZooKeeperSession session = new ZooKeeperSession(handle);
			CompletableFuture<?> first = session.remove("/lock/a", "owner");
			Thread cleanUp = daemon(handle::answerFirst);
			Thread other = daemon(() -> {
				CompletableFuture<?> unused = session.remove(inTheSameBinAs("/lock/a"), "owner");
			});
			other.join(TimeUnit.SECONDS.toMillis(10));
			cleanUp.join(TimeUnit.SECONDS.toMillis(10));
			assertThat(other.isAlive() || cleanUp.isAlive()).isFalse();
			assertThat(first).isCompletedExceptionally();
		}
	}

	private static Thread daemon(Runnable task) {
		Thread thread = new Thread(task);
		thread.setDaemon(true);
		thread.start();
		return thread;
	}

	/** Where a {@code ConcurrentHashMap} of few entries locks both at once. */
	private static String inTheSameBinAs(String path) {
		return IntStream.range(0, 1000)
			.mapToObj((i) -> "/lock/" + i)
			.filter((other) -> bin(other) == bin(path))
			.findFirst()
			.orElseThrow();
	}

	private static int bin(String path) {
		int hash = path.hashCode();
		return (hash ^ (hash >>> 16)) & 15;
	}

	/** Behaves as {@code ClientCnxn} does when it cleans up. */
	private static final class EndedHandle extends ZooKeeper {

		private final Object outgoing = new Object();

		private final CountDownLatch locked = new CountDownLatch(1);

		private final CountDownLatch asked = new CountDownLatch(1);

		private volatile @Nullable DataCallback first;

		EndedHandle(String connectString) throws IOException {
			super(connectString, 5000, (event) -> {
			});
		}

		@Override
		public void getData(String path, boolean watch, DataCallback callback, Object context) {
			if (this.first == null) {
				this.first = callback;
				return;
			}
			await(this.locked);
			this.asked.countDown();
			synchronized (this.outgoing) {
				lose(callback);
			}
		}

		void answerFirst() {
			synchronized (this.outgoing) {
				this.locked.countDown();
				await(this.asked);
				lose(Objects.requireNonNull(this.first));
			}
		}

		private static void lose(DataCallback callback) {
			callback.processResult(Code.CONNECTIONLOSS.intValue(), "", null, null, null);
		}

		private static void await(CountDownLatch latch) {
			try {
				latch.await();
			}
			catch (InterruptedException ex) {
				throw new IllegalStateException(ex);
			}
		}

	}

}
