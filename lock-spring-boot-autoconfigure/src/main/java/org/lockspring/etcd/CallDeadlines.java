package org.lockspring.etcd;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.MethodDescriptor;

/**
 * Ends every call after a time, except watches, so that an outage leaves none behind.
 */
final class CallDeadlines implements ClientInterceptor {

	private static final String WATCH = "etcdserverpb.Watch/Watch";

	private final Duration timeout;

	CallDeadlines(Duration timeout) {
		this.timeout = timeout;
	}

	@Override
	public <Q, A> ClientCall<Q, A> interceptCall(MethodDescriptor<Q, A> method, CallOptions options, Channel next) {
		boolean bounded = !method.getFullMethodName().equals(WATCH);
		return next.newCall(method,
				bounded ? options.withDeadlineAfter(this.timeout.toNanos(), TimeUnit.NANOSECONDS) : options);
	}

}
