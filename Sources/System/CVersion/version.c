#include "version.h"

// Package.swift defines it from the environment, because Swift has no definitions with a value.
#ifndef AUTH_COMMIT
#define AUTH_COMMIT ""
#endif

const char *auth_commit(void) { return AUTH_COMMIT; }
