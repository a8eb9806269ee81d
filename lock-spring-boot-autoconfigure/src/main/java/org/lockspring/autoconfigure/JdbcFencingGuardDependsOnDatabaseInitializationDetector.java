package org.lockspring.autoconfigure;

import java.util.Set;

import org.lockspring.jdbc.JdbcFencingGuard;
import org.springframework.boot.sql.init.dependency.AbstractBeansOfTypeDependsOnDatabaseInitializationDetector;

class JdbcFencingGuardDependsOnDatabaseInitializationDetector
		extends AbstractBeansOfTypeDependsOnDatabaseInitializationDetector {

	@Override
	protected Set<Class<?>> getDependsOnDatabaseInitializationBeanTypes() {
		return Set.of(JdbcFencingGuard.class);
	}

}
