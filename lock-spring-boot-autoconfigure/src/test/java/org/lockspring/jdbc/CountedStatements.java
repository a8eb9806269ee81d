package org.lockspring.jdbc;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.util.ArrayList;
import java.util.List;

import javax.sql.DataSource;

/**
 * A data source that notes what is executed on its connections.
 */
final class CountedStatements {

	private final List<String> executed = new ArrayList<>();

	private final DataSource target;

	CountedStatements(DataSource target) {
		this.target = target;
	}

	DataSource dataSource() {
		return proxy(DataSource.class, this.target);
	}

	/**
	 * Return what was executed since the last call.
	 */
	List<String> andReset() {
		List<String> result = List.copyOf(this.executed);
		this.executed.clear();
		return result;
	}

	/**
	 * Return a data source of one connection that nobody can close.
	 */
	static DataSource unclosable(Connection connection) {
		Connection open = (Connection) Proxy.newProxyInstance(CountedStatements.class.getClassLoader(),
				new Class<?>[] { Connection.class }, (proxy, method, arguments) -> method.getName().equals("close")
						? null : invoke(connection, method, arguments));
		return (DataSource) Proxy.newProxyInstance(CountedStatements.class.getClassLoader(),
				new Class<?>[] { DataSource.class }, (proxy, method, arguments) -> open);
	}

	@SuppressWarnings("unchecked")
	private <T> T proxy(Class<T> type, Object target) {
		return (T) Proxy.newProxyInstance(getClass().getClassLoader(), new Class<?>[] { type },
				(proxy, method, arguments) -> {
					if (method.getName().startsWith("execute")) {
						this.executed.add(target.toString());
					}
					Object result = invoke(target, method, arguments);
					if (result instanceof Connection connection) {
						return proxy(Connection.class, connection);
					}
					return (result instanceof PreparedStatement statement) ? proxy(PreparedStatement.class, statement)
							: result;
				});
	}

	private static Object invoke(Object target, Method method, Object[] arguments) throws Throwable {
		try {
			return method.invoke(target, arguments);
		}
		catch (InvocationTargetException ex) {
			throw ex.getCause();
		}
	}

}
