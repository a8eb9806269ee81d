/**
 * What happened: operations as the workers saw them, writes as the resources accepted
 * them.
 */
@NullMarked
package org.lockspring.faults.history;

import org.jspecify.annotations.NullMarked;
