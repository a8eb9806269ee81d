package org.lockspring.redis;

import java.nio.charset.StandardCharsets;

/**
 * What runs in one of several independent servers. Releasing and renewing are
 * {@link LockScript#ABANDON} and {@link LockScript#RENEW}.
 * <p>
 * Each server keeps one hash for all locks of a namespace: the counter from which it
 * grants, and the epoch in which it counts. {@code run_id} changes with every start of a
 * server, {@code master_replid} then and with every promotion; a flush removes the hash.
 * A server whose epoch is another than the one it has written down may have forgotten
 * entries and grants: it grants nothing for the length of the quarantine, and counts from
 * its clock at the end of it.
 */
enum RedlockScript implements Script {

	/**
	 * Introduce oneself to a server. KEYS: hash. ARGV: the quarantine in ms, or -1 only
	 * to look; the list of servers. Answers a text: run id, role, {@code known} or
	 * {@code new} for its epoch, and the list of servers that it was told first.
	 */
	JOIN("""
			local run = string.match(redis.call('INFO', 'server'), 'run_id:(%w+)')
			""" + RedlockScript.EPOCH + """
			local quarantine = tonumber(ARGV[1])
			local isKnown = known[1] == epoch
			if not isKnown and quarantine >= 0 then
			""" + RedlockScript.BEGIN_EPOCH + """
			end
			local role = string.match(replication, 'role:(%w+)')
			return run .. ' ' .. role .. ' ' .. (isKnown and 'known' or 'new') .. ' ' .. (known[3] or ARGV[2])
			"""),

	/**
	 * Take an entry. KEYS: entry, hash. ARGV: quarantine in ms, the list of servers,
	 * owner, ttl in ms, the run id. Answers the value granted to this owner, else the
	 * negative number of milliseconds until another's entry ends, or 0 if it never does.
	 * The counter is raised before the entry is set: a command that is refused must not
	 * leave an entry.
	 */
	ACQUIRE("""
			local run = ARGV[5]
			""" + RedlockScript.EPOCH + """
			local quarantine = tonumber(ARGV[1])
			if known[1] ~= epoch then
			""" + RedlockScript.BEGIN_EPOCH + """
			end
			if known[3] ~= ARGV[2] then
			  return redis.error_reply('OTHERNODES ' .. known[3])
			end
			if now < tonumber(known[2]) then
			  return redis.error_reply('QUARANTINE ends in '
			    .. string.format('%.0f', (tonumber(known[2]) - now) / 1000) .. ' ms')
			end
			local held = redis.call('GET', KEYS[1])
			if not held then
			  local granted = redis.call('HINCRBY', KEYS[2], 'counter', 1)
			  if granted >= 9007199254740992 then
			    return redis.error_reply('WRONGTYPE the counter is too large to count on')
			  end
			  redis.call('SET', KEYS[1], ARGV[3] .. ':' .. string.format('%.0f', granted), 'PX', ARGV[4])
			  return granted
			end
			if string.sub(held, 1, #ARGV[3] + 1) == ARGV[3] .. ':' then
			  redis.call('PEXPIRE', KEYS[1], ARGV[4])
			  return tonumber(string.sub(held, #ARGV[3] + 2))
			end
			local left = redis.call('PTTL', KEYS[1])
			return left < 0 and 0 or -math.max(left, 1)
			"""),

	/**
	 * Raise the counter to a token, while the entry is exactly the one that was granted
	 * in this epoch. KEYS: entry, hash. ARGV: the entry's exact value, the token. Answers
	 * 1, or 0 if it is not.
	 */
	RAISE("""
			local run = ARGV[3]
			""" + RedlockScript.EPOCH + """
			if known[1] ~= epoch or redis.call('GET', KEYS[1]) ~= ARGV[1] then
			  return 0
			end
			if tonumber(redis.call('HGET', KEYS[2], 'counter')) < tonumber(ARGV[2]) then
			  redis.call('HSET', KEYS[2], 'counter', ARGV[2])
			end
			return 1
			""");

	/**
	 * Sets epoch, now (in microseconds) and known, what is in the hash. The run id, which
	 * is expensive to ask for, is that of the connection; a master that restarts has
	 * another {@code master_replid} too, of 40 characters. Found without a pattern, which
	 * would cost a fifth of the script.
	 */
	private static final String EPOCH = """
			local replication = redis.call('INFO', 'replication')
			local replid = string.find(replication, 'master_replid:', 1, true) + 14
			local epoch = run .. ':' .. string.sub(replication, replid, replid + 39)
			local time = redis.call('TIME')
			local now = time[1] * 1000000 + time[2]
			local known = redis.call('HMGET', KEYS[#KEYS], 'epoch', 'ready', 'nodes')
			""";

	/** The clock at the end of the quarantine is the floor from which it counts. */
	private static final String BEGIN_EPOCH = """
			  local ready = string.format('%.0f', now + quarantine * 1000)
			  local counter = redis.call('HGET', KEYS[#KEYS], 'counter')
			  if not counter or tonumber(counter) < tonumber(ready) then
			    counter = ready
			  end
			  known = { epoch, ready, known[3] or ARGV[2] }
			  redis.call('HSET', KEYS[#KEYS], 'epoch', epoch, 'ready', ready, 'nodes', known[3], 'counter', counter)
			""";

	private final String text;

	private final String sha;

	RedlockScript(String text) {
		this.text = text;
		this.sha = Script.sha1(text);
	}

	@Override
	public byte[] text() {
		return this.text.getBytes(StandardCharsets.UTF_8);
	}

	@Override
	public String sha() {
		return this.sha;
	}

}
