import Glibc

/// The signals that end the service, taken by one thread that waits for them.
struct StopSignals: Sendable {
  private let set: sigset_t

  /// Blocks them in this thread and in those that it starts; SIGPIPE is ignored.
  init() {
    var set = sigset_t()
    sigemptyset(&set)
    for number in [SIGTERM, SIGINT, SIGHUP] { sigaddset(&set, number) }
    pthread_sigmask(SIG_BLOCK, &set, nil)
    signal(SIGPIPE, SIG_IGN)
    signal(SIGXFSZ, SIG_IGN)
    self.set = set
  }

  /// Waits for one of them.
  func wait() {
    var set = set
    var number: Int32 = 0
    while sigwait(&set, &number) != 0 {}
  }
}
