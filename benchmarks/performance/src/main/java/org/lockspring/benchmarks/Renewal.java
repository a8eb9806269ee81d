package org.lockspring.benchmarks;

import org.lockspring.testing.RedisServer;

/**
 * What it costs to keep ten thousand leases.
 */
final class Renewal implements Workload {

	static final String OURS = "10 000 leases";

	static final String COMMANDS = "commands";

	static final String CORE = "share of a core";

	@Override
	public String id() {
		return "renewal";
	}

	@Override
	public String title() {
		return "10 000 held leases being renewed every 10 s";
	}

	@Override
	public void run(Session session) {
		try (Jvm holder = Jvm.start(RenewalProgram.class, session.redis().port(), 10_000)) {
			holder.await();
			session.redis().command("CONFIG", "RESETSTAT");
			double share = holder.awaitNumbers()[0];
			double renewed = calls(session.redis(), "pexpire") / 10_000.0;
			double commands = calls(session.redis(), "evalsha") + calls(session.redis(), "eval");
			session.results().add(id(), OURS, COMMANDS, "per interval", commands / renewed);
			session.results().add(id(), OURS, CORE, "%", share);
			holder.go();
		}
	}

	private static double calls(RedisServer server, String command) {
		String stat = server.info("cmdstat_" + command);
		return stat.isEmpty() ? 0 : Double.parseDouble(stat.substring("calls=".length(), stat.indexOf(',')));
	}

}
