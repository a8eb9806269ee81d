/**
 * The nouns of the library, and what a backend implements: request, lease, acquisition,
 * assumption, and the exceptions of every outcome.
 */
@NullMarked
package org.lockspring;

import org.jspecify.annotations.NullMarked;
