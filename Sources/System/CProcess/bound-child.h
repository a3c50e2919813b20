#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

// A program that gets a secret must not outlive the one that gave it, also when that one is killed. It is C, because only a
// process after fork() can ask for that signal, before it becomes the other program.

// Starts a program, which is killed when the calling thread ends. `link` becomes its standard input and output, and `body`, unless
// it is negative, its descriptor 3. Its standard error is /dev/null. Returns its process id, or -1 with errno; a program that
// cannot be run ends with status 127.
static inline int cprocess_start_bound(char *const *words, int link, int body) {
  const int parent = getpid();
  const int child = fork();
  if (child != 0) return child;
  // The other program would inherit what this one ignores or blocks.
  sigset_t none;
  sigemptyset(&none);
  for (int number = 1; number < 32; number++) signal(number, SIG_DFL);
  sigprocmask(SIG_SETMASK, &none, 0);
  // The parent may have ended before this call.
  if (prctl(PR_SET_PDEATHSIG, (unsigned long)SIGKILL, 0L, 0L, 0L) != 0 || getppid() != parent) _exit(127);
  const int silence = open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (silence < 0 || dup2(silence, 2) < 0 || dup2(link, 0) < 0 || dup2(link, 1) < 0) _exit(127);
  // A copy onto itself would stay close-on-exec.
  if (body == 3 ? fcntl(body, F_SETFD, 0) < 0 : body >= 0 && dup2(body, 3) < 0) _exit(127);
  execvp(words[0], words);
  _exit(127);
}

// An anonymous file in memory with these bytes, closed on exec; -1 with errno.
static inline int cprocess_memory_file(const void *bytes, unsigned long count) {
  // The C library declares memfd_create() only for GNU C. 1 is MFD_CLOEXEC.
  const int file = (int)syscall(SYS_memfd_create, "request", 1L);
  for (unsigned long at = 0; file >= 0 && at < count;) {
    const long written = write(file, (const char *)bytes + at, count - at);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) {
      close(file);
      return -1;
    }
    at += (unsigned long)written;
  }
  return file;
}

// Blocks the signals that ask a program to end, for this thread and those that it starts, and returns a descriptor that is
// readable when one has come; -1 with errno.
static inline int cprocess_catch_ends(void) {
  sigset_t ends;
  sigemptyset(&ends);
  sigaddset(&ends, SIGINT);
  sigaddset(&ends, SIGTERM);
  sigaddset(&ends, SIGHUP);
  if (sigprocmask(SIG_BLOCK, &ends, 0) != 0) return -1;
  return signalfd(-1, &ends, SFD_CLOEXEC | SFD_NONBLOCK);
}

// The signal that has come, or 0.
static inline int cprocess_caught_end(int descriptor) {
  struct signalfd_siginfo info;
  return read(descriptor, &info, sizeof info) == (long)sizeof info ? (int)info.ssi_signo : 0;
}

// Ends this process by a signal that was caught.
static inline void cprocess_end_by(int number) {
  sigset_t one;
  sigemptyset(&one);
  sigaddset(&one, number);
  signal(number, SIG_DFL);
  raise(number);
  sigprocmask(SIG_UNBLOCK, &one, 0);
}
