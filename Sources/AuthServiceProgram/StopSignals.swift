import Glibc

/// The signals that end the service, for which one thread waits.
struct StopSignals: Sendable {
  private let set: sigset_t

  /// Blocks them in this thread and in those that it starts.
  ///
  /// SIGHUP is ignored: the service has no file to read or to open again.
  init() {
    var set = sigset_t()
    sigemptyset(&set)
    for number in [SIGTERM, SIGINT] { sigaddset(&set, number) }
    pthread_sigmask(SIG_BLOCK, &set, nil)
    signal(SIGPIPE, SIG_IGN)
    signal(SIGXFSZ, SIG_IGN)
    signal(SIGHUP, SIG_IGN)
    self.set = set
  }

  /// Waits for one of them.
  func wait() {
    var set = set
    var number: Int32 = 0
    while sigwait(&set, &number) != 0 {}
  }
}
