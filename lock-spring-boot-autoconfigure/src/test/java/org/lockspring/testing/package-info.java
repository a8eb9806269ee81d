/**
 * Real servers and real faults for tests. Nothing here needs a container engine; what a
 * machine lacks is skipped, not mocked.
 */
package org.lockspring.testing;
