#if !canImport(Darwin)
  package import Glibc

  /// Starts other programs.
  package enum ChildProgram {
    /// Starts a program, and does not wait for its end.
    ///
    /// - Parameters:
    ///   - words: The program, which `PATH` may find, and its arguments.
    ///   - endsWithUs: Whether the program gets the signals that a terminal sends to this one, such
    ///     as the one of ^C; otherwise it gets a process group of its own.
    ///   - finishes: Whether the program continues when a service manager, a shutdown or a closed
    ///     terminal ends all programs beside it: it does not get SIGTERM, SIGINT and SIGHUP.
    ///   - prepare: Adds what becomes of the descriptors; others stay open if they are inherited.
    /// - Returns: The process id; nil if the program could not be started, with the error in
    ///   `errno`.
    package static func start(
      _ words: [String], endsWithUs: Bool = false, finishes: Bool = false,
      _ prepare: (inout posix_spawn_file_actions_t) -> Void
    ) -> pid_t? {
      var actions = posix_spawn_file_actions_t()
      var attributes = posix_spawnattr_t()
      posix_spawn_file_actions_init(&actions)
      posix_spawnattr_init(&attributes)
      defer {
        posix_spawn_file_actions_destroy(&actions)
        posix_spawnattr_destroy(&attributes)
      }
      prepare(&actions)
      // This program may ignore signals or block them, which the other one would inherit.
      var (everySignal, blocked) = (sigset_t(), sigset_t())
      sigfillset(&everySignal)
      sigemptyset(&blocked)
      if finishes { for signal in [SIGTERM, SIGINT, SIGHUP] { sigaddset(&blocked, signal) } }
      posix_spawnattr_setsigdefault(&attributes, &everySignal)
      posix_spawnattr_setsigmask(&attributes, &blocked)
      posix_spawnattr_setpgroup(&attributes, 0)
      let ownGroup = endsWithUs ? 0 : POSIX_SPAWN_SETPGROUP
      posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | ownGroup))
      let arguments = words.map { $0.withCString { strdup($0) } } + [nil]
      defer { for argument in arguments { free(argument) } }
      var process: pid_t = 0
      errno = posix_spawnp(&process, words[0], &actions, &attributes, arguments, environ)
      return errno == 0 ? process : nil
    }
  }
#endif
