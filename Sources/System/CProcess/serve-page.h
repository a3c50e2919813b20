#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

// The end of a login in a browser: whoever asks the port for some more seconds gets a page. It is C, so that it can run in a
// process of its own after fork(), where only such calls are safe (signal-safety(7)), and the program need not wait for it.

struct cprocess_client {
  unsigned last;    // The last four bytes of the request.
  unsigned length;  // The length of the request.
  char line[256];   // Its start.
};

static inline long cprocess_milliseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000L + now.tv_nsec / 1000000L;
}

// Not poll(), whose header has names that Swift then looks for only here; this is its struct, and POLLIN.
struct cprocess_event {
  int fd;
  short events, revents;
};
enum { cprocess_readable = 1 };

static inline int cprocess_poll(struct cprocess_event *events, unsigned long count, long milliseconds) {
  const struct timespec limit = {milliseconds / 1000, milliseconds % 1000 * 1000000L};
  return (int)syscall(SYS_ppoll, events, count, &limit, 0L, 0L);
}

// Answers requests that start with `request` with `page`, and all others with `redirect`.
//
// The first `listening` of `all` sockets listen; the others are connections, which this closes. It ends `least` milliseconds from
// now, or if nobody has the page then, when somebody has it, and at the latest after `most` milliseconds. The caller blocks or ignores
// SIGPIPE.
static inline void cprocess_serve_page(
    const int *sockets, int listening, int all, const char *request, const char *page, const char *redirect, long least,
    long most) {
  enum { places = 80, longest = 1 << 16 };
  struct cprocess_event events[places];
  struct cprocess_client clients[places];
  memset(clients, 0, sizeof clients);
  int count = 0, isShown = 0;
  for (int at = 0; at < all; at++) {
    if (count < places) events[count++] = (struct cprocess_event){sockets[at], cprocess_readable, 0};
    else close(sockets[at]);
  }
  const long start = cprocess_milliseconds();
  while (1) {
    const long left = start + (isShown ? least : most) - cprocess_milliseconds();
    if (left <= 0 || (cprocess_poll(events, (unsigned long)count, left) < 0 && errno != EINTR)) break;
    // Backwards, because the last one takes the place of one that is closed.
    for (int at = count - 1; at >= listening; at--) {
      if (events[at].revents == 0) continue;
      struct cprocess_client *client = &clients[at];
      char bytes[4096];
      const ssize_t got = read(events[at].fd, bytes, sizeof bytes);
      if (got < 0 && (errno == EAGAIN || errno == EINTR)) continue;
      int isOver = got <= 0 || client->length > longest;
      for (ssize_t next = 0; next < got && !isOver; next++) {
        if (client->length < sizeof client->line) client->line[client->length] = bytes[next];
        client->length++;
        client->last = client->last << 8 | (unsigned char)bytes[next];
        if (client->last != 0x0D0A0D0A) continue;
        const size_t start_length = strlen(request);
        const int isClean = client->length > start_length && memcmp(client->line, request, start_length) == 0;
        const char *answer = isClean ? page : redirect;
        // A client that has gone is no failure.
        if (write(events[at].fd, answer, strlen(answer)) < 0) isOver = 1;
        isShown |= isClean;
        isOver = 1;
      }
      if (!isOver) continue;
      close(events[at].fd);
      count--;
      events[at] = events[count];
      clients[at] = clients[count];
    }
    for (int at = 0; at < listening; at++) {
      if (events[at].revents == 0) continue;
      int client;
      // Not accept4(), whose header has names that Swift then looks for only here.
      while ((client = (int)syscall(SYS_accept4, events[at].fd, 0L, 0L, O_CLOEXEC | O_NONBLOCK)) >= 0) {
        if (count == places) close(events[--count].fd);
        memset(&clients[count], 0, sizeof clients[count]);
        events[count++] = (struct cprocess_event){client, cprocess_readable, 0};
      }
      // Otherwise it would be called again without end.
      if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) most = 0, least = 0;
    }
  }
  for (int at = listening; at < count; at++) close(events[at].fd);
}

// The same in a process of its own, which has only these sockets. Returns 0 if it runs, otherwise -1.
static inline int cprocess_serve_page_apart(
    const int *sockets, int listening, int all, const char *request, const char *page, const char *redirect, long least,
    long most) {
  const int child = fork();
  if (child < 0) return -1;
  if (child > 0) {
    int status = -1;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {}
    return status == 0 ? 0 : -1;
  }
  // Its parent ends immediately, so nobody has to wait for it.
  const int server = fork();
  if (server != 0) _exit(server < 0);
  setsid();
  if (chdir("/") != 0) _exit(1);
  sigset_t none;
  sigemptyset(&none);
  for (int number = 1; number < 32; number++) signal(number, SIG_DFL);
  signal(SIGPIPE, SIG_IGN);
  sigprocmask(SIG_SETMASK, &none, 0);
  // Whoever reads the output of the program waits for the end of it, and others for its locks.
  long most_files = sysconf(_SC_OPEN_MAX);
  if (most_files < 0 || most_files > 1 << 16) most_files = 1 << 16;
  for (int file = 0; file < most_files; file++) {
    int isOurs = 0;
    for (int at = 0; at < all; at++) isOurs |= sockets[at] == file;
    if (!isOurs) close(file);
  }
  cprocess_serve_page(sockets, listening, all, request, page, redirect, least, most);
  _exit(0);
}
