import Glibc

/// The signals that end the service, for which one thread waits.
struct StopSignals: Sendable {
  private let set: sigset_t

  /// Blocks them in this thread and in those that it starts.
  ///
  /// SIGHUP is ignored: the service has no file to read or to open again. So are signals that it
  /// never sends itself.
  init() {
    var set = sigset_t()
    sigemptyset(&set)
    for number in [SIGTERM, SIGINT] { sigaddset(&set, number) }
    pthread_sigmask(SIG_BLOCK, &set, nil)
    signal(SIGPIPE, SIG_IGN)
    signal(SIGXFSZ, SIG_IGN)
    // Signals that mean nothing here would end it without a line in its log.
    for number in [SIGHUP, SIGUSR1, SIGUSR2, SIGALRM] { signal(number, SIG_IGN) }
    self.set = set
  }

  /// Waits for one of them.
  func wait() {
    var set = set
    var number: Int32 = 0
    while sigwait(&set, &number) != 0 {}
  }
}
