#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

// Swift cannot call a C function with variable arguments, and syscall is one.
//
// A counter that the kernel raises whenever this thread runs the instruction at the address. It costs nothing otherwise.
static inline int cperfevent_count_calls(const void *address) {
  struct perf_event_attr attributes = {
      .type = PERF_TYPE_BREAKPOINT,
      .size = sizeof attributes,
      .bp_type = HW_BREAKPOINT_X,
      .bp_addr = (unsigned long)address,
      .bp_len = sizeof(long),
      .exclude_kernel = 1,
      .exclude_hv = 1,
  };
  return (int)syscall(SYS_perf_event_open, &attributes, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

// The ways into the allocator that the runtime of Swift takes: as many as a processor has breakpoints.
static inline const void *cperfevent_allocator(int index) {
  switch (index) {
    case 0: return (const void *)malloc;
    case 1: return (const void *)calloc;
    case 2: return (const void *)realloc;
    case 3: return (const void *)posix_memalign;
    default: return NULL;
  }
}
