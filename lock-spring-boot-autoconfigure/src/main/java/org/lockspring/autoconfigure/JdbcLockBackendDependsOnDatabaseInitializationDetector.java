package org.lockspring.autoconfigure;

import java.util.Set;

import org.lockspring.jdbc.JdbcLockBackend;
import org.springframework.boot.sql.init.dependency.AbstractBeansOfTypeDependsOnDatabaseInitializationDetector;

class JdbcLockBackendDependsOnDatabaseInitializationDetector
		extends AbstractBeansOfTypeDependsOnDatabaseInitializationDetector {

	@Override
	protected Set<Class<?>> getDependsOnDatabaseInitializationBeanTypes() {
		return Set.of(JdbcLockBackend.class);
	}

}
