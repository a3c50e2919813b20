#include <stdint.h>
#include <sys/epoll.h>
#include <sys/socket.h>

// Swift's module of the C library has neither epoll nor the credentials of a socket's peer.

// Watches a descriptor for one event; `tag` comes back with it. `operation` is EPOLL_CTL_ADD or EPOLL_CTL_MOD.
static inline int csocket_watch(int epoll, int operation, int descriptor, int reads, int writes, uint64_t tag) {
  struct epoll_event event;
  event.events = EPOLLONESHOT | (reads ? EPOLLIN : 0) | (writes ? EPOLLOUT : 0);
  event.data.u64 = tag;
  return epoll_ctl(epoll, operation, descriptor, &event);
}

static inline int csocket_add(int epoll, int descriptor, int reads, int writes, uint64_t tag) {
  return csocket_watch(epoll, EPOLL_CTL_ADD, descriptor, reads, writes, tag);
}

static inline int csocket_rearm(int epoll, int descriptor, int reads, int writes, uint64_t tag) {
  return csocket_watch(epoll, EPOLL_CTL_MOD, descriptor, reads, writes, tag);
}

// Waits for the next event of any descriptor. Returns 1, 0 after so many milliseconds, or -1 with errno.
static inline int csocket_wait(int epoll, int milliseconds, uint64_t *tag, int *hangup) {
  struct epoll_event event;
  int count = epoll_wait(epoll, &event, 1, milliseconds);
  if (count > 0) {
    *tag = event.data.u64;
    *hangup = (event.events & (EPOLLERR | EPOLLHUP)) != 0;
  }
  return count;
}

// struct ucred, which <sys/socket.h> has only with _GNU_SOURCE.
struct csocket_peer {
  int process;
  unsigned int user;
  unsigned int group;
};

// Who was at the other end when the connection was made. Returns 0, or -1 with errno.
static inline int csocket_peer_of(int descriptor, struct csocket_peer *peer) {
  socklen_t length = sizeof *peer;
  return getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, peer, &length);
}
