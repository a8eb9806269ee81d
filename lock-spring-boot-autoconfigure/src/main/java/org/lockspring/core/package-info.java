/**
 * The life of a lease, written once for every backend: acquiring, waiting, re-entry,
 * release.
 */
@NullMarked
package org.lockspring.core;

import org.jspecify.annotations.NullMarked;
