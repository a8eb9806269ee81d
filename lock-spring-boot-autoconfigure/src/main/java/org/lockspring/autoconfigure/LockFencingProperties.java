package org.lockspring.autoconfigure;

import java.time.Duration;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Properties of fencing.
 *
 * @param claimOnAcquire Whether a lock of CORRECTNESS claims its fencing token at every
 * guard before the body runs. Without it, what the body reads before its first
 * transaction can be overtaken by a late write of an older holder.
 * @param claimTimeout Time to wait for the open transactions of older holders, rounded up
 * to seconds.
 * @since 0.1.0
 */
@ConfigurationProperties("lock.fencing")
public record LockFencingProperties(@DefaultValue("true") boolean claimOnAcquire,
		@DefaultValue("10s") Duration claimTimeout) {

}
