package org.lockspring.sample;

record Account(String id, long balance) {
}
