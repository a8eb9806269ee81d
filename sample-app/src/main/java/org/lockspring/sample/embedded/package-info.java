/**
 * A Redis for those who have none. Not part of the example.
 */
@NullMarked
package org.lockspring.sample.embedded;

import org.jspecify.annotations.NullMarked;
