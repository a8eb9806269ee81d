/**
 * Ties leases to transactions: each transaction that begins under a fenced lease claims
 * its token at the resource, and a lease taken inside a transaction outlives it.
 */
@NullMarked
package org.lockspring.transaction;

import org.jspecify.annotations.NullMarked;
