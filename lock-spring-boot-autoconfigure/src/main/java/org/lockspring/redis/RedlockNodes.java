package org.lockspring.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.stream.Collectors;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.ClientOptions.DisconnectedBehavior;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.SslOptions;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DefaultEventLoopGroupProvider;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.lockspring.InvalidLockDefinitionException;
import org.lockspring.redis.RedlockNode.Connection;

/**
 * The independent servers: who they are, and whether each may take part. A server has one
 * vote, keeps its own data, and is asked by clients that all ask the same servers.
 */
final class RedlockNodes implements AutoCloseable {

	private static final Log logger = LogFactory.getLog(RedlockBackend.class);

	private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(2);

	private final RedlockSettings settings;

	/**
	 * One thread sends to all and counts: between several each request would change
	 * hands.
	 */
	private final ClientResources resources = ClientResources.builder()
		.eventLoopGroupProvider(new DefaultEventLoopGroupProvider(1))
		.build();

	private final RedisClient client = RedisClient.create(this.resources);

	private final List<RedlockNode> nodes = new ArrayList<>();

	/** Which server is behind each address. */
	private final Map<RedlockNode, String> identities = new ConcurrentHashMap<>();

	private boolean marginGone;

	/**
	 * Until all have been looked at, none begins to count.
	 */
	private volatile long quarantine = -1;

	RedlockNodes(RedlockSettings settings, @Nullable SslOptions ssl) {
		this.settings = settings;
		ClientOptions.Builder options = ClientOptions.builder()
			.autoReconnect(false)
			.disconnectedBehavior(DisconnectedBehavior.REJECT_COMMANDS)
			.socketOptions(SocketOptions.builder().connectTimeout(CONNECT_TIMEOUT).keepAlive(true).build());
		if (ssl != null) {
			options.sslOptions(ssl);
		}
		this.client.setOptions(options.build());
		for (RedisURI uri : settings.nodes()) {
			RedisURI copy = RedisURI.builder(uri).withTimeout(CONNECT_TIMEOUT).build();
			this.nodes.add(new RedlockNode(this.client, copy, settings.nodeTimeout(), this::admit, this::checkMargin));
		}
	}

	/**
	 * Connect to all that are up.
	 * @throws InvalidLockDefinitionException if what they are cannot work
	 */
	void join() {
		List<CompletableFuture<Joined>> joining = joinAll(-1, CONNECT_TIMEOUT.multipliedBy(2));
		List<String> missing = new ArrayList<>();
		boolean allNew = true;
		for (int i = 0; i < joining.size(); i++) {
			CompletableFuture<Joined> each = joining.get(i);
			InvalidLockDefinitionException refusal = refusal(each);
			if (refusal != null) {
				close();
				throw refusal;
			}
			Throwable failure = failure(each);
			if (failure != null) {
				missing.add(this.nodes.get(i).address() + ": " + RedisFailure.describe(failure));
			}
			allNew = allNew && failure == null && !each.join().known();
		}
		this.quarantine = (this.settings.bootstrap() && allNew) ? 0 : this.settings.quarantine().toMillis();
		joinAll(this.quarantine, this.settings.nodeTimeout());
		this.quarantine = this.settings.quarantine().toMillis();
		report(missing);
	}

	private List<CompletableFuture<Joined>> joinAll(long quarantineMillis, Duration timeout) {
		List<CompletableFuture<Joined>> joining = this.nodes.stream()
			.map((node) -> node.connection().thenCompose((connection) -> join(connection, quarantineMillis)))
			.toList();
		CompletableFuture.allOf(joining.toArray(CompletableFuture[]::new))
			.handle((result, ex) -> true)
			.completeOnTimeout(false, timeout.toMillis(), TimeUnit.MILLISECONDS)
			.join();
		return joining;
	}

	private static @Nullable InvalidLockDefinitionException refusal(CompletableFuture<?> joining) {
		for (Throwable ex = failure(joining); ex != null; ex = ex.getCause()) {
			if (ex instanceof InvalidLockDefinitionException refusal) {
				return refusal;
			}
		}
		return null;
	}

	/**
	 * Why a server does not take part up to now, {@code null} if it does.
	 */
	private static @Nullable Throwable failure(CompletableFuture<?> joining) {
		return joining.<@Nullable Throwable>handle((result, ex) -> ex).getNow(new TimeoutException());
	}

	private void report(List<String> missing) {
		int quorum = this.settings.quorum();
		int size = this.nodes.size();
		logger.info(
				"Redlock over %s, quorum %d: works with %d of %d down, and with %d that lost their memory; with more of those it relies on the quarantine of %s"
					.formatted(addresses(), quorum, RedlockRules.survivesDown(quorum, size), size,
							RedlockRules.survivesForgetting(quorum, size), this.settings.quarantine()));
		if (!missing.isEmpty()) {
			logger.warn("%d of %d Redlock servers answer, %d are needed. %s".formatted(size - missing.size(), size,
					quorum, String.join("; ", missing)));
		}
	}

	/**
	 * Look at a server to which a connection was just opened.
	 */
	private CompletableFuture<String> admit(Connection connection) {
		return join(connection, this.quarantine).thenApply((joined) -> {
			InvalidLockDefinitionException refusal = check(connection.node(), joined);
			if (refusal != null) {
				logger.warn(refusal.getMessage());
				throw refusal;
			}
			return joined.runId();
		});
	}

	private synchronized @Nullable InvalidLockDefinitionException check(RedlockNode node, Joined joined) {
		if (!joined.role().equals("master")) {
			return refusal("%s is a replica: it votes for what another server decides".formatted(node.address()),
					"Name only independent masters");
		}
		if (!joined.nodes().equals(this.settings.fingerprint())) {
			return refusal(
					"%s serves clients with other settings (servers/quorum): '%s' there, '%s' here. Quorums of different lists need not share a server"
						.formatted(node.address(), joined.nodes(), this.settings.fingerprint()),
					"Name the same servers in the same way in every application; to change the list, stop all of them and delete the key '%s' from every server"
						.formatted(this.settings.stateKey()));
		}
		for (Map.Entry<RedlockNode, String> other : this.identities.entrySet()) {
			if (other.getKey() != node && other.getValue().equals(joined.runId())) {
				return refusal("%s and %s are one server, which would have two votes"
					.formatted(other.getKey().address(), node.address()), "Name each server once");
			}
		}
		this.identities.put(node, joined.runId());
		return null;
	}

	private static InvalidLockDefinitionException refusal(String problem, String remedy) {
		return new InvalidLockDefinitionException("lock.redlock.nodes", problem, remedy);
	}

	private CompletableFuture<Joined> join(Connection connection, long quarantineMillis) {
		return connection
			.<String>run(RedlockScript.JOIN, ScriptOutputType.VALUE, new String[] { this.settings.stateKey() },
					Long.toString(quarantineMillis), this.settings.fingerprint())
			.thenApply(Joined::parse);
	}

	int size() {
		return this.nodes.size();
	}

	List<RedlockNode> all() {
		return this.nodes;
	}

	String addresses() {
		return this.nodes.stream().map(RedlockNode::address).collect(Collectors.joining(", "));
	}

	/**
	 * Ask all.
	 */
	RedlockRound ask(int needed, Function<RedlockNode, CompletableFuture<Long>> question) {
		Map<RedlockNode, CompletableFuture<Long>> questions = new LinkedHashMap<>();
		this.nodes.forEach((node) -> questions.put(node, question.apply(node)));
		return RedlockRound.of(questions, needed, this.settings.nodeTimeout());
	}

	/**
	 * Warn once when no further server may fail, until that is over.
	 */
	private synchronized void checkMargin() {
		long failing = this.nodes.stream().filter(RedlockNode::isFailing).count();
		boolean gone = failing > 0 && this.nodes.size() - failing <= this.settings.quorum();
		if (gone && !this.marginGone) {
			logger.warn(
					"%d of %d Redlock servers do not take part, and %d are needed: if one more fails, no lock is granted"
						.formatted(failing, this.nodes.size(), this.settings.quorum()));
		}
		this.marginGone = gone;
	}

	@Override
	public void close() {
		this.nodes.forEach(RedlockNode::close);
		this.client.shutdown(Duration.ZERO, Duration.ofSeconds(1));
		var unused = this.resources.shutdown(0, 1, TimeUnit.SECONDS);
	}

	/**
	 * What a server says of itself.
	 */
	private record Joined(String runId, String role, boolean known, String nodes) {

		static Joined parse(String answer) {
			String[] words = answer.split(" ", 4);
			return new Joined(words[0], words[1], words[2].equals("known"), words[3]);
		}

	}

}
