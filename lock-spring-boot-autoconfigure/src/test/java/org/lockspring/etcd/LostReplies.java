package org.lockspring.etcd;

import java.util.concurrent.atomic.AtomicInteger;

import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.ForwardingClientCall.SimpleForwardingClientCall;
import io.grpc.ForwardingClientCallListener.SimpleForwardingClientCallListener;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;

/**
 * Loses the replies to the next requests of one kind, which the server has carried out. A
 * TCP proxy cannot choose them: they share a connection with everything else.
 */
final class LostReplies implements ClientInterceptor {

	private final AtomicInteger toLose = new AtomicInteger();

	private volatile String method = "";

	void lose(String method, int replies) {
		this.method = method;
		this.toLose.set(replies);
	}

	int left() {
		return this.toLose.get();
	}

	@Override
	public <Q, A> ClientCall<Q, A> interceptCall(MethodDescriptor<Q, A> descriptor, CallOptions options, Channel next) {
		boolean lose = this.method.equals(descriptor.getBareMethodName())
				&& this.toLose.getAndUpdate((left) -> Math.max(0, left - 1)) > 0;
		ClientCall<Q, A> call = next.newCall(descriptor, options);
		return lose ? new Losing<>(call) : call;
	}

	private static final class Losing<Q, A> extends SimpleForwardingClientCall<Q, A> {

		Losing(ClientCall<Q, A> call) {
			super(call);
		}

		@Override
		public void start(Listener<A> listener, Metadata headers) {
			super.start(new SimpleForwardingClientCallListener<>(listener) {

				@Override
				public void onMessage(A message) {
				}

				@Override
				public void onClose(Status status, Metadata trailers) {
					super.onClose(Status.UNAVAILABLE.withDescription("reply lost"), trailers);
				}

			}, headers);
		}

	}

}
