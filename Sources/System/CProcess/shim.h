#include <sys/prctl.h>
#include <sys/resource.h>

// Swift cannot call a C function with variable arguments, and prctl is one.
//
// From now on the process leaves no core, and no other process of the same user may read its memory or attach to it.
// Returns 0, or -1 with errno.
static inline int cprocess_close_memory(void) {
  struct rlimit none = {0, 0};
  if (setrlimit(RLIMIT_CORE, &none) != 0) return -1;
  return prctl(PR_SET_DUMPABLE, 0L, 0L, 0L, 0L);
}

// No file that the process writes grows beyond so many bytes. Returns 0, or -1 with errno.
static inline int cprocess_limit_file_size(int process, unsigned long bytes) {
  struct rlimit limit = {bytes, bytes};
  return prlimit(process, RLIMIT_FSIZE, &limit, 0);
}
