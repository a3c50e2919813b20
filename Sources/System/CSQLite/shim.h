#include <sqlite3.h>

// Swift cannot call a C function with variable arguments, and sqlite3_config is one.
//
// For short processes: no memory statistics, whose mutex is a tenth of a session check, and room for 8 pages of cache at
// first, because SQLite touches all of the 20 that it would take. To be called once and before everything else of SQLite;
// later it answers SQLITE_MISUSE and changes nothing.
static inline int csqlite_configure(void) {
  int code = sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
  return code == SQLITE_OK ? sqlite3_config(SQLITE_CONFIG_PAGECACHE, (void *)0, 0, 8) : code;
}
