/**
 * Auto-configuration. Not for direct use, except the property classes.
 */
@NullMarked
package org.lockspring.autoconfigure;

import org.jspecify.annotations.NullMarked;
