package org.lockspring;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.lockspring.AllOrNothing.Answer;
import org.lockspring.BackendLease.Ownership;
import org.lockspring.core.LockSettings;
import org.lockspring.core.LockTemplate;
import org.lockspring.fencing.FencingToken;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What every {@link LockBackend} has to do, on whatever store. To test a backend, extend
 * this class; each test uses lock names of its own, so the store need not be empty.
 * <p>
 * Not part of it, since only the store's own tests can produce it: what happens when the
 * store is slow, refuses, or is away.
 */
public abstract class LockBackendContract extends LockBackendSteps {

	@ParameterizedTest
	@EnumSource
	void noUpdateIsLostUnderTheLock(LockMode mode) throws Exception {
		assumeSupported(mode);
		SharedCounter counter = new SharedCounter();
		LockBackend backend = backend();
		LockRequest request = LockRequest.of(this.id)
			.withMode(mode)
			.withTtl(Duration.ofMinutes(1))
			.withWaitTime(Duration.ofMinutes(2));
		counter.raise(() -> new LockTemplate(backend, new LockSettings("contract")), request, threads(), rounds());
		assertThat(counter.overlaps()).as("threads inside at once").isZero();
		assertThat(counter.value()).isEqualTo(threads() * rounds());
	}

	@ParameterizedTest
	@EnumSource
	void secondOwnerIsBusyAndToldWhenToRetry(LockMode mode) {
		acquire(attempt(mode, LONG));
		Acquisition second = backend().tryAcquire(attempt(mode, shortTtl()));
		assertThat(second).isInstanceOfSatisfying(Acquisition.Busy.class, (busy) -> {
			if (busy.retryAfter() != null) {
				// The holder's time, not that of the one who asks
				assertThat(busy.retryAfter()).isBetween(LONG.minusMinutes(1), LONG.plus(expiryMargin()));
			}
		});
	}

	@Test
	void waiterGivesUpWhenItsWaitTimeIsOver() {
		LockSettings settings = new LockSettings("contract");
		LockRequest request = LockRequest.of(this.id).withTtl(LONG);
		Duration waitTime = Duration.ofMillis(700);
		try (LockTemplate holder = new LockTemplate(backend(), settings);
				LockTemplate waiter = new LockTemplate(backend(), settings);
				LockLease held = holder.acquire(request)) {
			long start = System.nanoTime();
			assertThat(waiter.tryAcquire(request.withWaitTime(waitTime))).isEmpty();
			assertThat(Duration.ofNanos(System.nanoTime() - start)).isBetween(waitTime, waitTime.plusSeconds(5));
			assertThat(held.isValid()).isTrue();
		}
	}

	@ParameterizedTest
	@EnumSource
	void efficiencyAndCorrectnessOfOneNameExcludeEachOther(LockMode mode) {
		assumeSupported(LockMode.CORRECTNESS);
		LockMode other = (mode == LockMode.EFFICIENCY) ? LockMode.CORRECTNESS : LockMode.EFFICIENCY;
		BackendLease lease = acquire(attempt(mode, LONG));
		assertBusy(attempt(other, LONG));
		assertThat(release(lease)).isEqualTo(Ownership.HELD);
		acquire(attempt(other, LONG));
		assertBusy(attempt(mode, LONG));
	}

	@ParameterizedTest
	@EnumSource
	void differentNamesDoNotExcludeEachOther(LockMode mode) {
		acquire(attempt(mode, LONG));
		acquire(attempt(this.id + ":{other}", mode, LONG));
		acquire(attempt(this.id + ":{Key}", mode, LONG));
		acquire(attempt(this.id + ":{key }", mode, LONG));
	}

	@ParameterizedTest
	@EnumSource
	void repeatedRequestIsGrantedAgainWithTheSameToken(LockMode mode) {
		LockAttempt attempt = attempt(mode, LONG);
		BackendLease first = acquire(attempt);
		BackendLease second = acquire(attempt);
		assertThat(second.fencingToken()).isEqualTo(first.fencingToken());
		assertBusy(attempt(mode, LONG));
		assertThat(release(second)).isEqualTo(Ownership.HELD);
		assertThat(release(first)).isNotEqualTo(Ownership.HELD);
	}

	@Test
	void efficiencyHasNoToken() {
		assertThat(acquire(attempt(LockMode.EFFICIENCY, LONG)).fencingToken()).isNull();
	}

	@Test
	void tokensRiseWithEveryAcquisition() {
		FencingToken last = null;
		for (int i = 0; i < 200; i++) {
			BackendLease lease = acquire(attempt(LockMode.CORRECTNESS, LONG));
			last = requireNewer(lease, last);
			assertThat(release(lease)).isEqualTo(Ownership.HELD);
		}
	}

	@Test
	void tokensRiseWhenEntriesExpire() {
		FencingToken last = null;
		for (int i = 0; i < 4; i++) {
			last = requireNewer(acquireWhenFree(attempt(LockMode.CORRECTNESS, shortTtl())), last);
		}
	}

	@Test
	void renewalKeepsTheToken() {
		BackendLease lease = acquire(attempt(LockMode.CORRECTNESS, LONG));
		FencingToken token = lease.fencingToken();
		assertThat(lease.renew(LONG)).isEqualTo(Ownership.HELD);
		assertThat(lease.fencingToken()).isEqualTo(token);
	}

	@ParameterizedTest
	@EnumSource
	void releaseFreesTheLockOnce(LockMode mode) {
		BackendLease lease = acquire(attempt(mode, LONG));
		assertThat(release(lease)).isEqualTo(Ownership.HELD);
		assertThat(release(lease)).isEqualTo(Ownership.EXPIRED);
		BackendLease next = acquire(attempt(mode, LONG));
		assertThat(release(lease)).isEqualTo(Ownership.TAKEN);
		assertThat(lease.renew(LONG)).isEqualTo(Ownership.TAKEN);
		assertStillHeld(next);
	}

	@ParameterizedTest
	@EnumSource
	void entryOfACrashedHolderVanishesNotBeforeTheLeaseIsOver(LockMode mode) {
		BackendLease lease = acquire(attempt(mode, shortTtl()));
		assertThat(lease.validUntil() - System.nanoTime()).isLessThanOrEqualTo(shortTtl().toNanos());
		acquireWhenFree(attempt(mode, LONG));
		assertThat(System.nanoTime() - lease.validUntil()).as("granted to another after the end, in ns")
			.isNotNegative();
	}

	@ParameterizedTest
	@EnumSource
	void expiredLeaseIsNeitherRenewedNorCreatedAgain(LockMode mode) {
		BackendLease lease = acquire(attempt(mode, shortTtl()));
		awaitExpiry(shortTtl());
		assertThat(lease.renew(LONG)).isEqualTo(Ownership.EXPIRED);
		assertThat(release(lease)).isEqualTo(Ownership.EXPIRED);
		acquire(attempt(mode, LONG));
	}

	@ParameterizedTest
	@EnumSource
	void releasedLeaseIsNeitherRenewedNorCreatedAgain(LockMode mode) {
		BackendLease lease = acquire(attempt(mode, LONG));
		release(lease);
		assertThat(lease.renew(LONG)).isEqualTo(Ownership.EXPIRED);
		acquire(attempt(mode, LONG));
	}

	@ParameterizedTest
	@EnumSource
	void lostLeaseDoesNotTouchTheEntryOfTheNextHolder(LockMode mode) {
		BackendLease lost = acquire(attempt(mode, shortTtl()));
		BackendLease next = acquireWhenFree(attempt(mode, LONG));
		assertThat(lost.renew(LONG)).isEqualTo(Ownership.TAKEN);
		assertThat(release(lost)).isEqualTo(Ownership.TAKEN);
		assertStillHeld(next);
		assertThat(next.renew(shortTtl())).isEqualTo(Ownership.HELD);
		assertThat(lost.renew(LONG)).isNotEqualTo(Ownership.HELD);
		acquireWhenFree(attempt(mode, LONG));
		assertThat(System.nanoTime() - next.validUntil()).isNotNegative();
	}

	@ParameterizedTest
	@EnumSource
	void renewalProlongs(LockMode mode) {
		// Long enough for the renewal to come in time on a busy machine
		Duration ttl = shortTtl().plusSeconds(1);
		BackendLease lease = acquire(attempt(mode, ttl));
		long before = lease.validUntil();
		assertThat(lease.renew(LONG)).isEqualTo(Ownership.HELD);
		assertThat(lease.validUntil() - before).isPositive();
		assertThat(lease.validUntil() - System.nanoTime()).isLessThanOrEqualTo(LONG.toNanos());
		awaitTime(ttl);
		assertStillHeld(lease);
	}

	@ParameterizedTest
	@EnumSource
	void renewalShortens(LockMode mode) {
		BackendLease lease = acquire(attempt(mode, LONG));
		assertThat(lease.renew(shortTtl())).isEqualTo(Ownership.HELD);
		assertThat(lease.validUntil() - System.nanoTime()).isLessThanOrEqualTo(shortTtl().toNanos());
		acquireWhenFree(attempt(mode, LONG));
		assertThat(System.nanoTime() - lease.validUntil()).isNotNegative();
	}

	@ParameterizedTest
	@EnumSource
	void severalAreTakenTogetherAndEachIsReleasedOnItsOwn(LockMode mode) {
		List<LockAttempt> attempts = several(mode, "a", "b", "c");
		List<BackendLease> leases = acquireAll(attempts);
		attempts.forEach((attempt) -> assertBusy(attempt(attempt.name(), mode, LONG)));
		assertThat(release(leases.get(1))).isEqualTo(Ownership.HELD);
		acquire(attempt(attempts.get(1).name(), mode, LONG));
		assertThat(leases.get(0).renew(LONG)).isEqualTo(Ownership.HELD);
		assertThat(release(leases.get(2))).isEqualTo(Ownership.HELD);
		assertThat(leases)
			.allSatisfy((lease) -> assertThat(lease.fencingToken() != null).isEqualTo(mode == LockMode.CORRECTNESS));
	}

	@ParameterizedTest
	@EnumSource
	void noneIsTakenIfOneIsBusy(LockMode mode) {
		List<LockAttempt> attempts = several(mode, "a", "b", "c");
		BackendLease other = acquire(attempt(attempts.get(1).name(), mode, LONG));
		assertThat(together().tryAcquireAll(attempts)).isInstanceOfSatisfying(Answer.OneBusy.class, (busy) -> {
			assertThat(busy.index()).isEqualTo(1);
			if (busy.retryAfter() != null) {
				assertThat(busy.retryAfter()).isBetween(LONG.minusMinutes(1), LONG.plus(expiryMargin()));
			}
		});
		acquire(attempt(attempts.get(0).name(), mode, LONG));
		acquire(attempt(attempts.get(2).name(), mode, LONG));
		assertThat(other.renew(LONG)).isEqualTo(Ownership.HELD);
	}

	@ParameterizedTest
	@EnumSource
	void repeatedRequestForSeveralIsGrantedAgainWithTheSameTokens(LockMode mode) {
		List<LockAttempt> attempts = several(mode, "a", "b");
		List<BackendLease> first = acquireAll(attempts);
		List<BackendLease> second = acquireAll(attempts);
		assertThat(second).extracting(BackendLease::fencingToken)
			.isEqualTo(first.stream().map(BackendLease::fencingToken).toList());
		assertThat(second).allSatisfy((lease) -> assertThat(release(lease)).isEqualTo(Ownership.HELD));
	}

	@Test
	void tokensOfSeveralRise() {
		List<FencingToken> last = new ArrayList<>(Arrays.asList(null, null));
		for (int i = 0; i < 20; i++) {
			List<BackendLease> leases = acquireAll(several(LockMode.CORRECTNESS, "a", "b"));
			for (int j = 0; j < leases.size(); j++) {
				last.set(j, requireNewer(leases.get(j), last.get(j)));
				release(leases.get(j));
			}
			BackendLease alone = acquire(attempt(this.id + ":{a}", LockMode.CORRECTNESS, LONG));
			last.set(0, requireNewer(alone, last.get(0)));
			release(alone);
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "%s:{a:b'c\"d\\e$f*g?h[i]}", "app%%3A%s:{100%%25 %%7Bsure%%7D}",
			"%s:{%%#9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08}", "%s:{%%uD800%%00%%0A}",
			"%s:{żółw-日本語-🔒}", "%s:{key with spaces, commas; 'quotes' -- and /* comments */}" })
	void strangeNamesAreLockedLikeOthers(String pattern) {
		assertThatNameWorks(pattern.formatted(this.id));
	}

	@ParameterizedTest
	@ValueSource(strings = { "x", "é", "日", "🔒" })
	void longestNamesAreNotCutOff(String character) {
		String start = this.id + ":{";
		int space = 256 - start.length() - "}".length();
		String filling = character.repeat(space / character.getBytes(StandardCharsets.UTF_8).length - 1);
		String name = start + filling + "1}";
		assertThat(name.getBytes(StandardCharsets.UTF_8)).hasSizeBetween(249, 256);
		assertThatNameWorks(name);
		acquire(attempt(name, LockMode.EFFICIENCY, LONG));
		acquire(attempt(start + filling + "2}", LockMode.EFFICIENCY, LONG));
	}

	private void assertThatNameWorks(String name) {
		for (LockMode mode : LockMode.values()) {
			if (backend().supports(mode)) {
				BackendLease lease = acquire(attempt(name, mode, LONG));
				assertBusy(attempt(name, mode, LONG));
				assertThat(lease.renew(LONG)).isEqualTo(Ownership.HELD);
				assertThat(release(lease)).isEqualTo(Ownership.HELD);
			}
		}
	}

}
