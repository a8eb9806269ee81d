package org.lockspring;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.locks.LockSupport;

import org.jspecify.annotations.Nullable;
import org.lockspring.fencing.FencingToken;

/**
 * A backend in memory with one mistake that real ones have made, to see
 * {@link LockBackendContract} turn red.
 */
final class DefectiveBackend implements LockBackend, AllOrNothing {

	private final Defect defect;

	private final Map<String, Entry> entries = new HashMap<>();

	private long counter;

	DefectiveBackend(Defect defect) {
		this.defect = defect;
	}

	@Override
	public String name() {
		return "defective";
	}

	@Override
	public boolean supports(LockMode mode) {
		return true;
	}

	@Override
	public Acquisition tryAcquire(LockAttempt attempt) {
		if (this.defect == Defect.CHECKS_THEN_ACTS) {
			synchronized (this) {
				if (live(key(attempt)) != null) {
					return new Acquisition.Busy(null);
				}
			}
			// Others check meanwhile, also where there are fewer processors than threads
			LockSupport.parkNanos(100_000);
		}
		synchronized (this) {
			return take(attempt, key(attempt));
		}
	}

	@Override
	public boolean canTakeTogether(Collection<String> names) {
		return true;
	}

	@Override
	public synchronized Answer tryAcquireAll(List<LockAttempt> attempts) {
		List<BackendLease> leases = new ArrayList<>();
		for (LockAttempt attempt : attempts) {
			if (take(attempt, key(attempt)) instanceof Acquisition.Granted granted) {
				leases.add(granted.lease());
				continue;
			}
			if (!is(Defect.KEEPS_THOSE_BEFORE_A_BUSY_ONE)) {
				leases.forEach(BackendLease::release);
			}
			return new Answer.OneBusy(leases.size(), null);
		}
		return new Answer.AllGranted(leases);
	}

	private Acquisition take(LockAttempt attempt, String key) {
		Entry held = live(key);
		boolean again = held != null && held.owner.equals(attempt.owner()) && !is(Defect.DOES_NOT_KNOW_ITS_OWNER);
		if (held != null && !again && !is(Defect.GRANTS_TO_ALL) && !is(Defect.CHECKS_THEN_ACTS)) {
			Duration left = Duration.ofNanos(held.until - System.nanoTime());
			return new Acquisition.Busy(is(Defect.TELLS_THE_ASKERS_TTL) ? attempt.ttl() : left);
		}
		long before = System.nanoTime();
		Entry entry = new Entry(attempt.owner(), token(attempt, held, again));
		entry.setTtl(is(Defect.EXPIRES_EARLY) ? attempt.ttl().dividedBy(2) : attempt.ttl());
		this.entries.put(key, entry);
		return new Acquisition.Granted(new Lease(key, entry, before + attempt.ttl().toNanos()));
	}

	private @Nullable FencingToken token(LockAttempt attempt, @Nullable Entry held, boolean again) {
		if (attempt.mode() == LockMode.EFFICIENCY) {
			return is(Defect.EFFICIENCY_HAS_TOKENS) ? new FencingToken(1) : null;
		}
		if (again && held != null && !is(Defect.NEW_TOKEN_FOR_REPEATED_REQUEST)) {
			return held.token;
		}
		if (is(Defect.COUNTER_EXPIRES_WITH_ENTRY)) {
			Entry last = this.entries.get(key(attempt));
			return new FencingToken((last != null && last.isLive()) ? last.token.value() + 1 : 1);
		}
		return new FencingToken(is(Defect.TOKENS_STAND_STILL) ? 1 : ++this.counter);
	}

	private @Nullable Entry live(String key) {
		Entry entry = this.entries.get(key);
		return (entry != null && (entry.isLive() || is(Defect.NEVER_EXPIRES))) ? entry : null;
	}

	private String key(LockAttempt attempt) {
		String name = attempt.name();
		return switch (this.defect) {
			case MODES_ARE_SEPARATE -> attempt.mode() + name;
			case IGNORES_CASE -> name.toLowerCase(Locale.ROOT);
			case CUTS_NAMES_OFF -> name.substring(0, Math.min(name.length(), 80));
			case ONE_LOCK_FOR_ALL -> "";
			default -> name;
		};
	}

	private boolean is(Defect candidate) {
		return this.defect == candidate;
	}

	@Override
	public List<Assumption> assumptions(LockMode mode) {
		return List.of();
	}

	private static final class Entry {

		private final String owner;

		private final @Nullable FencingToken token;

		private long until;

		Entry(String owner, @Nullable FencingToken token) {
			this.owner = owner;
			this.token = token;
		}

		void setTtl(Duration ttl) {
			this.until = System.nanoTime() + ttl.toNanos();
		}

		boolean isLive() {
			return this.until - System.nanoTime() > 0;
		}

	}

	private final class Lease implements BackendLease {

		private final String key;

		private final Entry mine;

		private long validUntil;

		private boolean renewed;

		Lease(String key, Entry mine, long validUntil) {
			this.key = key;
			this.mine = mine;
			this.validUntil = validUntil;
		}

		@Override
		public @Nullable FencingToken fencingToken() {
			return (is(Defect.RENEWAL_CHANGES_TOKEN) && this.renewed) ? new FencingToken(1_000_000) : this.mine.token;
		}

		@Override
		public long validUntil() {
			return this.validUntil + (is(Defect.VALID_FOR_TOO_LONG) ? 50_000_000 : 0);
		}

		@Override
		public Ownership renew(Duration ttl) {
			long before = System.nanoTime();
			synchronized (DefectiveBackend.this) {
				Entry entry = live(this.key);
				if (entry == null && is(Defect.RENEWAL_CREATES)) {
					DefectiveBackend.this.entries.put(this.key, this.mine);
					entry = this.mine;
				}
				Ownership ownership = ownership(entry);
				boolean allowed = ownership == Ownership.HELD || is(Defect.RENEWAL_OF_ANYBODYS);
				if (entry != null && allowed && !is(Defect.RENEWAL_DOES_NOTHING)) {
					long until = entry.until;
					entry.setTtl(ttl);
					if (is(Defect.RENEWAL_ONLY_PROLONGS)) {
						entry.until = Math.max(until, entry.until);
					}
				}
				this.validUntil = before + ttl.toNanos();
				this.renewed = true;
				return ownership;
			}
		}

		@Override
		public CompletionStage<Ownership> release() {
			synchronized (DefectiveBackend.this) {
				Ownership ownership = ownership(live(this.key));
				if (ownership == Ownership.HELD || is(Defect.RELEASES_ANYBODYS)) {
					DefectiveBackend.this.entries.remove(this.key);
				}
				return CompletableFuture
					.completedFuture(is(Defect.RELEASE_ALWAYS_SUCCEEDS) ? Ownership.HELD : ownership);
			}
		}

		private Ownership ownership(@Nullable Entry entry) {
			if (entry == null) {
				return Ownership.EXPIRED;
			}
			return entry.owner.equals(this.mine.owner) ? Ownership.HELD : Ownership.TAKEN;
		}

	}

	/** What is wrong, and which test of the contract has to see it. */
	enum Defect {

		NONE(""),

		GRANTS_TO_ALL("noUpdateIsLostUnderTheLock"),

		CHECKS_THEN_ACTS("noUpdateIsLostUnderTheLock"),

		TELLS_THE_ASKERS_TTL("secondOwnerIsBusyAndToldWhenToRetry"),

		DOES_NOT_KNOW_ITS_OWNER("repeatedRequestIsGrantedAgainWithTheSameToken"),

		NEW_TOKEN_FOR_REPEATED_REQUEST("repeatedRequestIsGrantedAgainWithTheSameToken"),

		EFFICIENCY_HAS_TOKENS("efficiencyHasNoToken"),

		TOKENS_STAND_STILL("tokensRiseWithEveryAcquisition"),

		COUNTER_EXPIRES_WITH_ENTRY("tokensRiseWhenEntriesExpire"),

		RENEWAL_CHANGES_TOKEN("renewalKeepsTheToken"),

		MODES_ARE_SEPARATE("efficiencyAndCorrectnessOfOneNameExcludeEachOther"),

		IGNORES_CASE("differentNamesDoNotExcludeEachOther"),

		ONE_LOCK_FOR_ALL("differentNamesDoNotExcludeEachOther"),

		KEEPS_THOSE_BEFORE_A_BUSY_ONE("noneIsTakenIfOneIsBusy"),

		CUTS_NAMES_OFF("longestNamesAreNotCutOff"),

		NEVER_EXPIRES("entryOfACrashedHolderVanishesNotBeforeTheLeaseIsOver"),

		EXPIRES_EARLY("entryOfACrashedHolderVanishesNotBeforeTheLeaseIsOver"),

		VALID_FOR_TOO_LONG("entryOfACrashedHolderVanishesNotBeforeTheLeaseIsOver"),

		RELEASES_ANYBODYS("lostLeaseDoesNotTouchTheEntryOfTheNextHolder"),

		RELEASE_ALWAYS_SUCCEEDS("releaseFreesTheLockOnce"),

		RENEWAL_CREATES("expiredLeaseIsNeitherRenewedNorCreatedAgain"),

		RENEWAL_OF_ANYBODYS("lostLeaseDoesNotTouchTheEntryOfTheNextHolder"),

		RENEWAL_DOES_NOTHING("renewalProlongs"),

		RENEWAL_ONLY_PROLONGS("renewalShortens");

		private final String caughtBy;

		Defect(String caughtBy) {
			this.caughtBy = caughtBy;
		}

		String caughtBy() {
			return this.caughtBy;
		}

	}

}
