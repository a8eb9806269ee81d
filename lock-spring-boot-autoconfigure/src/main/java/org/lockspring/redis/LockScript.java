package org.lockspring.redis;

import java.nio.charset.StandardCharsets;

/**
 * What runs in the server. Each script is idempotent for its arguments, since clients
 * repeat commands after a reconnect; each needs only keys of one slot; none has a
 * shebang, so that those that free or refresh also run when memory is full. Redis does
 * not roll back: whatever can be refused comes before the entry is set.
 */
enum LockScript implements Script {

	/**
	 * Take an entry without a token. KEYS: entry. ARGV: owner, ttl in ms, optionally the
	 * exact value that may be replaced. Answers 1 if it is the owner's, else what
	 * {@link #BUSY} says.
	 */
	ACQUIRE("""
			local held = redis.call('GET', KEYS[1])
			if not held or held == ARGV[1] or held == ARGV[3] then
			  redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
			  return 1
			end
			""" + LockScript.BUSY),

	/**
	 * Take an entry with a token: larger than the last one, and than the server's clock
	 * in microseconds, so that it rises as long as one of the two is remembered. KEYS:
	 * entry, counter. ARGV: owner, ttl in ms, the counter's ttl in ms, optionally the
	 * exact value that may be replaced. Answers the token if the entry is the owner's,
	 * else what {@link #BUSY} says.
	 */
	ACQUIRE_FENCED("""
			local held = redis.call('GET', KEYS[1])
			if held and string.sub(held, 1, #ARGV[1] + 1) == ARGV[1] .. ':' then
			  redis.call('PEXPIRE', KEYS[1], ARGV[2])
			  return tonumber(string.sub(held, #ARGV[1] + 2))
			end
			if not held or held == ARGV[4] then
			  local time = redis.call('TIME')
			  local now = time[1] * 1000000 + time[2]
			  local last = tonumber(redis.call('GET', KEYS[2]) or 0)
			  local token = last and math.floor(math.max(last, now)) + 1
			  if not (token and token < 9007199254740992) then
			    return redis.error_reply('WRONGTYPE the fence counter is not a number to count on')
			  end
			  local digits = string.format('%.0f', token)
			  redis.call('SET', KEYS[2], digits, 'PX', ARGV[3])
			  redis.call('SET', KEYS[1], ARGV[1] .. ':' .. digits, 'PX', ARGV[2])
			  return token
			end
			""" + LockScript.BUSY),

	/**
	 * Take several entries, each as {@link #ACQUIRE} or {@link #ACQUIRE_FENCED} does, or
	 * none. KEYS: for each its entry and its counter. ARGV: the counters' ttl in ms, and
	 * for each its owner, ttl in ms, and 1 if it wants a token. Answers a list: 1 and for
	 * each what its own script would say; or 0, the number of the first that is
	 * another's, and what {@link #BUSY} says of it.
	 */
	ACQUIRE_ALL("""
			local time = redis.call('TIME')
			local now = time[1] * 1000000 + time[2]
			local answers, values, counters = {1}, {}, {}
			for i = 1, #KEYS / 2 do
			  local owner = ARGV[3 * i - 1]
			  local held = redis.call('GET', KEYS[2 * i - 1])
			  local fenced = ARGV[3 * i + 1] == '1'
			  local mine = held and (fenced and string.sub(held, 1, #owner + 1) == owner .. ':' or held == owner)
			  if held and not mine then
			    local left = redis.call('PTTL', KEYS[2 * i - 1])
			    return {0, i, left < 0 and 0 or -math.max(left, 1)}
			  end
			  if not fenced then
			    values[i] = owner
			    answers[i + 1] = 1
			  elseif mine then
			    values[i] = held
			    answers[i + 1] = tonumber(string.sub(held, #owner + 2))
			  else
			    local last = tonumber(redis.call('GET', KEYS[2 * i]) or 0)
			    local token = last and math.floor(math.max(last, now)) + 1
			    if not (token and token < 9007199254740992) then
			      return redis.error_reply('WRONGTYPE the fence counter is not a number to count on')
			    end
			    counters[i] = string.format('%.0f', token)
			    values[i] = owner .. ':' .. counters[i]
			    answers[i + 1] = token
			  end
			end
			for i, digits in pairs(counters) do
			  redis.call('SET', KEYS[2 * i], digits, 'PX', ARGV[1])
			end
			for i, value in ipairs(values) do
			  redis.call('SET', KEYS[2 * i - 1], value, 'PX', ARGV[3 * i])
			end
			return answers
			"""),

	/**
	 * Let an entry live for a time from now. KEYS: entry. ARGV: its exact value, ttl in
	 * ms. Answers 1 if it is ours, 0 if there is none, -1 if it is another's.
	 */
	RENEW("""
			local held = redis.call('GET', KEYS[1])
			if held == ARGV[1] then
			  return redis.call('PEXPIRE', KEYS[1], ARGV[2])
			end
			return held and -1 or 0
			"""),

	/**
	 * Do {@link #RENEW} for many entries. KEYS: entries. ARGV: for each its exact value
	 * and ttl in ms. Answers a list: for each what {@link #RENEW} says, or the text of an
	 * error, which does not keep the others from being renewed.
	 */
	RENEW_ALL("""
			local answers = {}
			for i, key in ipairs(KEYS) do
			  local answer = redis.pcall('GET', key)
			  if answer == ARGV[2 * i - 1] then
			    answer = redis.pcall('PEXPIRE', key, ARGV[2 * i])
			  elseif type(answer) ~= 'table' then
			    answer = answer and -1 or 0
			  end
			  answers[i] = type(answer) == 'table' and answer.err or answer
			end
			return answers
			"""),

	/**
	 * Remove an entry and tell those who wait for it. KEYS: entry. ARGV: its exact value,
	 * the channel to publish on, or nothing, the command to publish with. Answers 1 if it
	 * was ours, 2 if so but nothing could be published, 0 if there was none, -1 if it was
	 * another's.
	 */
	RELEASE("""
			local held = redis.call('GET', KEYS[1])
			if held == ARGV[1] then
			""" + LockScript.FREE),

	/**
	 * Remove an entry of which only the owner is known, since the answer of its
	 * acquisition was lost. KEYS: entry. ARGV: owner, channel, command. Answers as
	 * {@link #RELEASE}.
	 */
	ABANDON("""
			local held = redis.call('GET', KEYS[1])
			if held and (held == ARGV[1] or string.sub(held, 1, #ARGV[1] + 1) == ARGV[1] .. ':') then
			""" + LockScript.FREE);

	/**
	 * Who may not publish, or not on this channel, can release all the same. Only a
	 * server that has {@code SPUBLISH} tells its version.
	 */
	private static final String FREE = """
			  redis.call('DEL', KEYS[1])
			  local publish = redis.REDIS_VERSION_NUM and ARGV[3] or 'PUBLISH'
			  if ARGV[2] ~= '' and type(redis.pcall(publish, ARGV[2], '')) == 'table' then
			    return 2
			  end
			  return 1
			end
			return held and -1 or 0
			""";

	/**
	 * The negative number of milliseconds until another's entry ends, or 0 if it never
	 * does.
	 */
	private static final String BUSY = """
			local left = redis.call('PTTL', KEYS[1])
			if left < 0 then
			  return 0
			end
			return -math.max(left, 1)
			""";

	/**
	 * The answer of {@link #RELEASE} if it could not publish.
	 */
	static final long NOT_PUBLISHED = 2;

	private final String text;

	private final String sha;

	LockScript(String text) {
		this.text = text;
		this.sha = Script.sha1(text);
	}

	/**
	 * Whether the answer is a list.
	 */
	boolean answersList() {
		return this == RENEW_ALL || this == ACQUIRE_ALL;
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
