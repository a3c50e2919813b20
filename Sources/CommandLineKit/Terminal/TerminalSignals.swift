import Glibc
import Synchronization

/// What a terminal is taken over for.
enum TerminalUse: Sendable {
  /// A line that is not shown while it is typed.
  case hiddenLine
  /// The whole screen: every key at once, on the alternate screen, so that what was shown before
  /// comes back at the end.
  case fullScreen

  /// Shows the screen to draw on; hides the screen of the shell.
  fileprivate var enter: StaticString {
    switch self {
    case .hiddenLine: ""
    case .fullScreen: "\u{1B}[?1049h"
    }
  }

  /// Modes that the shell may have changed since: no wrapping, pasted text marked as such, no
  /// cursor, and no reports of the mouse or the focus, which another program may have left on
  /// (xterm).
  fileprivate var modes: StaticString {
    switch self {
    case .hiddenLine: ""
    case .fullScreen: "\u{1B}[?9;1000;1002;1003;1004;1005;1006;1015;1016l\u{1B}[?7l\u{1B}[?2004h\u{1B}[?25l"
    }
  }

  /// Undoes both, and ends a synchronized update that a signal may have interrupted.
  fileprivate var leave: StaticString {
    switch self {
    case .hiddenLine: ""
    case .fullScreen: "\u{1B}[?2026l\u{1B}[m\u{1B}[?1000;1006l\u{1B}[?2004l\u{1B}[?7h\u{1B}[?1049l\u{1B}[?25h"
    }
  }
}

/// Keeps a terminal in another mode than it was in, and restores it before a signal kills or stops
/// the process.
///
/// The handlers act at once, on whichever thread the signal arrives, so `^C` works during a long
/// check of a password too. They call only functions that POSIX lists as async-signal-safe
/// (`tcsetattr`, `tcgetpgrp`, `sigaction`, `raise`, `write`) and touch only memory that exists
/// before them and outlives them. A signal that was ignored when this began stays ignored. The
/// rules are those of readpassphrase(3): restore, let the signal have its usual effect, and ask
/// again when continued.
struct TerminalSignals {
  /// Those that kill a process and do not mean a fault of the program itself.
  private static let fatal = [
    SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGPIPE, SIGALRM, SIGUSR1, SIGUSR2, SIGXCPU, SIGVTALRM, SIGPROF, SIGIO, SIGPWR,
    SIGSTKFLT,
  ]
  private static let all = fatal + [SIGTSTP, SIGCONT, SIGWINCH]

  /// What a handler has to tell.
  struct News: OptionSet, Sendable {
    let rawValue: UInt8
    /// The process was continued after a stop.
    static let continued = News(rawValue: 1)
    /// The terminal has another size.
    static let resized = News(rawValue: 2)
  }

  private let record: UnsafeMutablePointer<Silence>
  private let previous: [(signal: Int32, action: sigaction)]

  /// Takes over the signals for `terminal`, which is as it was until ``silence()``.
  init(terminal: Int32, for use: TerminalUse = .hiddenLine) throws(PromptError) {
    var original = termios()
    // In the background this stops the process until it is in front; before that the settings are
    // the shell's own.
    while tcflush(terminal, TCIFLUSH) != 0 {
      guard errno == EINTR else { throw .unreadable(source: "the terminal", errno: errno) }
    }
    guard tcgetattr(terminal, &original) == 0 else { throw .unreadable(source: "the terminal", errno: errno) }
    guard let record = UnsafeMutablePointer<Silence>(bitPattern: silenceAddress),
      !isAsking.exchange(true, ordering: .acquiringAndReleasing)
    else { throw .alreadyAsking }
    guard record.pointee.begin(terminal: terminal, original: original, use: use) else {
      let number = errno
      isAsking.store(false, ordering: .releasing)
      throw .unreadable(source: "the terminal", errno: number)
    }
    self.record = record
    previous = Self.all.compactMap { number in Self.takeOver(number).map { (number, $0) } }
  }

  /// Readable when a handler has something to tell.
  var wakening: Int32 { record.pointee.wakeningEnd }

  /// Empties ``wakening``, and returns what was told.
  @discardableResult
  func acknowledgeWakening() -> News {
    var news: News = []
    var bytes: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0]
    while true {
      let count = read(wakening, &bytes, bytes.count)
      guard count > 0 else { return news }
      for byte in bytes[..<count] { news.formUnion(News(rawValue: byte)) }
    }
  }

  /// Puts the terminal into its mode and discards what was typed.
  ///
  /// In the background this stops the process until it is in front again.
  func silence() throws(PromptError) {
    record.pointee.isSilent = true
    while tcsetattr(record.pointee.terminal, TCSAFLUSH, &record.pointee.silent) != 0 {
      guard errno == EINTR else { throw .unreadable(source: "the terminal", errno: errno) }
    }
    record.pointee.enter()
  }

  /// Restores the terminal and the signals.
  func finish() {
    record.pointee.restore(evenInBackground: true)
    for (signal, var action) in previous { sigaction(signal, &action, nil) }
    isAsking.store(false, ordering: .releasing)
  }

  /// - Returns: What was in force before, or nil when the signal is ignored and stays so.
  private static func takeOver(_ number: Int32) -> sigaction? {
    var before = sigaction()
    sigaction(number, nil, &before)
    if number != SIGCONT, number != SIGWINCH, isIgnored(before) { return nil }
    var action = sigaction()
    action.__sigaction_handler.sa_handler =
      switch number {
      case SIGTSTP: stopHandler
      case SIGCONT: continueHandler
      case SIGWINCH: resizeHandler
      case _: fatalHandler
      }
    sigemptyset(&action.sa_mask)
    for other in all { sigaddset(&action.sa_mask, other) }
    sigaction(number, &action, nil)
    return before
  }

  private static func isIgnored(_ action: sigaction) -> Bool {
    guard let handler = action.__sigaction_handler.sa_handler else { return false }
    return unsafeBitCast(handler, to: Int.self) == 1
  }
}

/// What a handler needs to know.
///
/// Nothing in it needs the allocator or the runtime.
private struct Silence {
  var terminal: Int32 = -1
  var original = termios()
  var silent = termios()
  var isSilent = false
  var use = TerminalUse.hiddenLine
  /// Whether the terminal shows the screen that ``use`` has.
  var isEntered = false
  /// The ends of a pipe that wakes the question up.
  ///
  /// Made once and kept, so that a late handler cannot write elsewhere.
  var wakeningEnd: Int32 = -1
  var wakingEnd: Int32 = -1

  /// - Returns: False when there is no descriptor left for the pipe; `errno` says so.
  mutating func begin(terminal: Int32, original: termios, use: TerminalUse) -> Bool {
    if wakeningEnd < 0 {
      var ends: [Int32] = [-1, -1]
      guard pipe(&ends) == 0 else { return false }
      for end in ends {
        _ = fcntl(end, F_SETFD, FD_CLOEXEC)
        _ = fcntl(end, F_SETFL, O_NONBLOCK)
      }
      (wakeningEnd, wakingEnd) = (ends[0], ends[1])
    }
    self.terminal = terminal
    self.original = original
    self.use = use
    silent = original
    silent.c_lflag &= ~tcflag_t(ECHO | ECHONL)
    // Whatever an earlier program left behind, the keys that interrupt and stop do so.
    silent.c_lflag |= tcflag_t(ISIG)
    switch use {
    case .hiddenLine:
      // Lines, with the keys that edit them.
      silent.c_lflag |= tcflag_t(ICANON)
      silent.c_iflag |= tcflag_t(ICRNL)
    case .fullScreen:
      silent.c_lflag &= ~tcflag_t(ICANON | IEXTEN)
      silent.c_iflag &= ~tcflag_t(ICRNL | INLCR | IGNCR | ISTRIP | IXON)
      // `VTIME` and `VMIN`: a read returns as soon as there is one byte.
      (silent.c_cc.5, silent.c_cc.6) = (0, 1)
    }
    return true
  }

  /// Shows the screen that belongs to the mode, which the terminal is in.
  mutating func enter() {
    if !isEntered {
      isEntered = true
      send(use.enter)
    }
    send(use.modes)
  }

  private func send(_ text: StaticString) {
    var (next, rest) = (text.utf8Start, text.utf8CodeUnitCount)
    while rest > 0 {
      let count = write(terminal, next, rest)
      // A terminal that takes nothing now is not waited for: a signal must act at once.
      guard count > 0 || errno == EINTR else { return }
      if count > 0 { (next, rest) = (next + count, rest - count) }
    }
  }

  /// Whether the terminal is this process group's to change.
  private var isInFront: Bool { tcgetpgrp(terminal) == getpgrp() }

  mutating func restore(evenInBackground: Bool) {
    guard isSilent else { return }
    isSilent = false
    guard evenInBackground || isInFront else { return }
    if isEntered { send(use.leave) }
    isEntered = false
    tcsetattr(terminal, TCSAFLUSH, &original)
  }

  mutating func silenceIfInFront() {
    guard isInFront else { return }
    isSilent = true
    tcsetattr(terminal, TCSAFLUSH, &silent)
    enter()
  }

  func wake(_ news: TerminalSignals.News) {
    var byte = news.rawValue
    _ = write(wakingEnd, &byte, 1)
  }
}

/// The one record, as an address because a pointer is not `Sendable`.
///
/// It is never freed, so that a handler on another thread that is late finds it. It is made before
/// the first handler is installed, and changed by the asking thread and by handlers, which hold
/// each other back through their masks.
private let silenceAddress: UInt = {
  let record = UnsafeMutablePointer<Silence>.allocate(capacity: 1)
  record.initialize(to: Silence())
  return UInt(bitPattern: record)
}()

/// Whether the record is in use.
private let isAsking = Atomic<Bool>(false)

private func silenceForHandler() -> UnsafeMutablePointer<Silence>? {
  UnsafeMutablePointer(bitPattern: silenceAddress)
}

private func setDefault(_ number: Int32) {
  var action = sigaction()
  action.__sigaction_handler.sa_handler = SIG_DFL
  sigemptyset(&action.sa_mask)
  sigaction(number, &action, nil)
}

/// Restores the terminal; the process then dies of the signal, as soon as the handler is left and
/// the signal comes again.
private let fatalHandler: @convention(c) (Int32) -> Void = { number in
  silenceForHandler()?.pointee.restore(evenInBackground: false)
  setDefault(number)
  raise(number)
}

/// Restores the terminal, stops, and takes the terminal back when continued.
private let stopHandler: @convention(c) (Int32) -> Void = { number in
  let before = errno
  let silence = silenceForHandler()
  silence?.pointee.restore(evenInBackground: false)
  var own = sigaction()
  sigaction(number, nil, &own)
  setDefault(number)
  raise(number)
  var only = sigset_t()
  sigemptyset(&only)
  sigaddset(&only, number)
  // Here it stops. In a process group that nobody could continue the system does not stop it: then
  // it goes on at once.
  pthread_sigmask(SIG_UNBLOCK, &only, nil)
  pthread_sigmask(SIG_BLOCK, &only, nil)
  sigaction(number, &own, nil)
  silence?.pointee.silenceIfInFront()
  silence?.pointee.wake(.continued)
  errno = before
}

/// After a stop that could not be caught the shell has set the terminal to its own liking: silence
/// it again.
private let continueHandler: @convention(c) (Int32) -> Void = { _ in
  let before = errno
  let silence = silenceForHandler()
  silence?.pointee.silenceIfInFront()
  silence?.pointee.wake(.continued)
  errno = before
}

private let resizeHandler: @convention(c) (Int32) -> Void = { _ in
  let before = errno
  silenceForHandler()?.pointee.wake(.resized)
  errno = before
}
