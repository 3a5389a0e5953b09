// SQLite's public interface; the cast macro SQLITE_TRANSIENT is not imported, so it gets a function.
#pragma once
#include <sqlite3.h>
static inline sqlite3_destructor_type sotto_sqlite_transient(void) { return SQLITE_TRANSIENT; }
