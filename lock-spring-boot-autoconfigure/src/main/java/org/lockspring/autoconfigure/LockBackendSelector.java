package org.lockspring.autoconfigure;

import java.util.List;
import java.util.Locale;

import org.jspecify.annotations.Nullable;
import org.lockspring.LockBackend;
import org.lockspring.LockMode;
import org.springframework.beans.factory.ObjectProvider;

/**
 * Finds the store of a mode: the one that the property names, else the only or primary
 * one. Never the first of several.
 */
class LockBackendSelector {

	private final ObjectProvider<LockBackend> backends;

	LockBackendSelector(ObjectProvider<LockBackend> backends) {
		this.backends = backends;
	}

	@Nullable LockBackend select(LockMode mode, @Nullable LockBackendType type) {
		String property = "lock." + mode.name().toLowerCase(Locale.ROOT) + ".backend";
		if (type != null) {
			return this.backends.stream()
				.filter((backend) -> backend.name().equals(type.backendName()))
				.findFirst()
				.orElseThrow(() -> new LockBackendNotAvailableException(property, type));
		}
		LockBackend primary = this.backends.getIfUnique();
		if (primary != null) {
			return primary.supports(mode) ? primary : null;
		}
		List<LockBackend> able = this.backends.stream().filter((backend) -> backend.supports(mode)).toList();
		if (able.size() > 1) {
			throw new NoUniqueLockBackendException(property, able.stream().map(LockBackend::name).toList());
		}
		return able.isEmpty() ? null : able.get(0);
	}

}
