import Glibc
import Synchronization

/// The purpose for which a terminal is taken over.
enum TerminalUse: Sendable {
  /// A line that is typed without echo.
  case hiddenLine
  /// A line that is typed with echo.
  case visibleLine
  /// The whole screen: every key immediately, on the alternate screen, so that the previous content
  /// comes back at the end.
  case fullScreen

  /// The sequence that switches to the alternate screen, and to the usual form of keys in kitty's
  /// keyboard protocol.
  ///
  /// A terminal without an alternate screen is cleared, and may keep in its history what it showed.
  fileprivate static var enter: StaticString { "\u{1B}[?1049h\u{1B}[2J\u{1B}[>0u" }
  /// The modes to set again, because the shell may have changed them: no wrapping, marked pasted
  /// text, no cursor, and what another program may have left on: no reports of the mouse or the
  /// focus, and keys in their usual form (xterm's modifyOtherKeys, kitty's keyboard protocol).
  fileprivate static var modes: StaticString {
    "\u{1B}[?9;1000;1002;1003;1004;1005;1006;1015;1016l\u{1B}[>4;0m\u{1B}[=0u\u{1B}[?7l\u{1B}[?2004h\u{1B}[?25l"
  }
  /// The sequence that undoes both, and ends a synchronized update that a signal may have
  /// interrupted.
  ///
  /// It clears the screen: a terminal without an alternate screen would keep the last frame,
  /// perhaps with codes that nobody else may see, and the shell would write into it. `1J` keeps no
  /// copy in the history of the terminal, as `2J` may. xterm's own setting of its keys comes back;
  /// that is before the plain style, for terminals that take it for one.
  fileprivate static var leave: StaticString {
    """
    \u{1B}[?2026l\u{1B}[>4m\u{1B}[m\u{1B}[9999;9999H\u{1B}[1J\u{1B}[H\u{1B}[?1000;1006l\u{1B}[?2004l\u{1B}[?7h\
    \u{1B}[<u\u{1B}[?1049l\u{1B}[?25h
    """
  }
}

/// Changes the mode of a terminal, and restores it before a signal kills or stops the process.
///
/// The handlers run immediately, on the thread that gets the signal, so `^C` also works during a
/// long check of a password. They call only functions that POSIX lists as async-signal-safe
/// (`tcsetattr`, `tcgetpgrp`, `sigaction`, `signal`, `raise`, `write`) and access only memory that
/// is allocated before them and outlives them. A signal that was ignored before stays ignored. The
/// rules are those of readpassphrase(3): restore, let the signal have its usual effect, and prompt
/// again when continued.
struct TerminalSignals: ~Copyable {
  /// The signals of a crash.
  ///
  /// No thread may block them: then the system would end the process without the handler.
  private static let crashes = [SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGABRT, SIGSYS]
  /// The other signals that kill a process.
  private static let fatal = [
    SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGPIPE, SIGALRM, SIGUSR1, SIGUSR2, SIGXCPU, SIGVTALRM, SIGPROF, SIGIO, SIGPWR,
    SIGSTKFLT,
  ]
  private static let all = crashes + fatal + [SIGTSTP, SIGCONT, SIGWINCH]

  let terminal: TerminalDescriptor
  private let previous: [(signal: Int32, action: sigaction)]

  /// Takes over the signals for `terminal`, which does not change until ``silence()``.
  init(_ terminal: consuming TerminalDescriptor, for use: TerminalUse) throws(CommandError) {
    var original = termios()
    // In the background this stops the process until it is in the foreground; before that, the
    // settings belong to the shell.
    while tcflush(terminal.number, TCIFLUSH) != 0 {
      guard errno == EINTR else { throw .unreadable("the terminal") }
    }
    guard tcgetattr(terminal.number, &original) == 0 else { throw .unreadable("the terminal") }
    guard !isAsking.exchange(true, ordering: .acquiringAndReleasing) else { throw .alreadyAsking }
    guard record.pointee.begin(terminal: terminal.number, original: original, use: use) else {
      isAsking.store(false, ordering: .releasing)
      throw .unreadable("the terminal")
    }
    self.terminal = terminal
    CrashStack.use()
    previous = Self.all.compactMap { number in Self.takeOver(number).map { (number, $0) } }
  }

  /// Restores the terminal and the signals.
  deinit {
    record.pointee.restore(evenInBackground: true)
    for (signal, var action) in previous { sigaction(signal, &action, nil) }
    isAsking.store(false, ordering: .releasing)
  }

  /// Whether the mode is set.
  var isSilent: Bool { record.pointee.isSilent }

  /// The keys with Control that interrupt, quit and stop, with their signals.
  var keys: [(key: Unicode.Scalar, signal: Int32)] {
    let keys = record.pointee.silent.c_cc
    // A control character is 64 below a capital letter or `\`.
    return [(keys.0, SIGINT), (keys.1, SIGQUIT), (keys.10, SIGTSTP)].filter { 1..<0x20 ~= $0.0 }
      .map { (Unicode.Scalar($0.0 < 0x1B ? $0.0 + 0x60 : $0.0 + 0x40), $0.1) }
  }

  /// A descriptor that is readable when a handler has reported something.
  var wakening: Int32 { record.pointee.wakeningEnd }

  /// Empties ``wakening``.
  ///
  /// - Returns: Whether the process was continued after a stop; otherwise the size of the terminal
  ///   changed.
  func acknowledgeWakening() -> Bool {
    var wasContinued = false
    var bytes: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0]
    while true {
      let count = read(wakening, &bytes, bytes.count)
      guard count > 0 else { return wasContinued }
      if bytes[..<count].contains(1) { wasContinued = true }
    }
  }

  /// Sets the mode of the terminal and discards typed text.
  ///
  /// In the background this stops the process until it is in the foreground again.
  func silence() throws(CommandError) {
    record.pointee.isSilent = true
    while tcsetattr(record.pointee.terminal, TCSAFLUSH, &record.pointee.silent) != 0 {
      guard errno == EINTR else { throw .unreadable("the terminal") }
    }
    record.pointee.enter()
  }

  /// - Returns: The previous action, or nil if the signal is ignored and stays ignored.
  private static func takeOver(_ number: Int32) -> sigaction? {
    var before = sigaction()
    sigaction(number, nil, &before)
    let isIgnored = unsafeBitCast(before.__sigaction_handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
    if number != SIGCONT, number != SIGWINCH, isIgnored { return nil }
    var action = sigaction()
    action.__sigaction_handler.sa_handler = handler
    if crashes.contains(number) { action.sa_flags = SA_ONSTACK }
    sigemptyset(&action.sa_mask)
    for other in all { sigaddset(&action.sa_mask, other) }
    sigaction(number, &action, nil)
    return before
  }
}

/// The descriptor of a terminal.
struct TerminalDescriptor: ~Copyable {
  let number: Int32
  /// Whether the terminal was opened for this value, which closes it at the end of its lifetime.
  let isOwned: Bool

  deinit { if isOwned { close(number) } }
}

/// The data for the signal handlers.
///
/// It needs no allocator and no runtime.
private struct Silence {
  var terminal: Int32 = -1
  var original = termios()
  var silent = termios()
  var isSilent = false
  var use = TerminalUse.hiddenLine
  /// Whether the terminal shows the alternate screen.
  var isEntered = false
  /// The ends of a pipe that wakes up the prompt.
  ///
  /// The pipe is created once and never closed, so that a late handler cannot write elsewhere.
  var wakeningEnd: Int32 = -1
  var wakingEnd: Int32 = -1

  /// - Returns: False if there is no descriptor left for the pipe, with the error in `errno`.
  mutating func begin(terminal: Int32, original: termios, use: TerminalUse) -> Bool {
    if wakeningEnd < 0 {
      guard let ends = makeWakeningPipe() else { return false }
      (wakeningEnd, wakingEnd) = ends
    }
    self.terminal = terminal
    self.original = original
    self.use = use
    silent = original
    if use != .visibleLine { silent.c_lflag &= ~tcflag_t(ECHO | ECHONL) }
    // The keys that interrupt and stop must work, even if an earlier program disabled them.
    silent.c_lflag |= tcflag_t(ISIG)
    switch use {
    case .hiddenLine, .visibleLine:
      // Line mode, with the editing keys.
      silent.c_lflag |= tcflag_t(ICANON)
      silent.c_iflag |= tcflag_t(ICRNL)
    case .fullScreen:
      silent.c_lflag &= ~tcflag_t(ICANON | IEXTEN)
      silent.c_iflag &= ~tcflag_t(ICRNL | INLCR | IGNCR | ISTRIP | IXON)
      // `VTIME` and `VMIN`: a read returns as soon as one byte is available.
      (silent.c_cc.5, silent.c_cc.6) = (0, 1)
    }
    return true
  }

  /// Switches to the screen of the mode, which is already set.
  mutating func enter() {
    guard use == .fullScreen else { return }
    if !isEntered { send(TerminalUse.enter) }
    isEntered = true
    send(TerminalUse.modes)
  }

  private func send(_ text: StaticString) {
    var (next, rest) = (text.utf8Start, text.utf8CodeUnitCount)
    while rest > 0 {
      let count = write(terminal, next, rest)
      // Do not wait for a terminal that accepts no bytes, because a signal must take effect
      // immediately.
      guard count > 0 || errno == EINTR else { return }
      if count > 0 { (next, rest) = (next + count, rest - count) }
    }
  }

  /// Whether this process group is in the foreground and may change the terminal.
  private var isInFront: Bool { tcgetpgrp(terminal) == getpgrp() }

  mutating func restore(evenInBackground: Bool) {
    guard isSilent else { return }
    isSilent = false
    guard evenInBackground || isInFront else { return }
    if isEntered { send(TerminalUse.leave) }
    isEntered = false
    tcsetattr(terminal, TCSAFLUSH, &original)
  }

  mutating func silenceIfInFront() {
    guard isInFront else { return }
    isSilent = true
    tcsetattr(terminal, TCSAFLUSH, &silent)
    enter()
  }

  func wake(wasContinued: Bool) {
    var byte: UInt8 = wasContinued ? 1 : 0
    _ = write(wakingEnd, &byte, 1)
  }
}

/// The single record for the handlers.
///
/// It is never freed, so that a late handler on another thread can still use it. It is created
/// before the first handler is installed.
// Safe: the prompting thread and the handlers change it, never at once: they mask the signals.
private nonisolated(unsafe) let record = {
  let record = UnsafeMutablePointer<Silence>.allocate(capacity: 1)
  record.initialize(to: Silence())
  return record
}()

/// Whether the record is in use.
private let isAsking = Atomic<Bool>(false)

private let handler: @convention(c) (Int32) -> Void = { number in
  let before = errno
  defer { errno = before }
  switch number {
  case SIGWINCH: record.pointee.wake(wasContinued: false)
  case SIGCONT, SIGTSTP:
    if number == SIGTSTP { stop() }
    // Also after a stop that could not be caught, because the shell has changed the terminal.
    record.pointee.silenceIfInFront()
    record.pointee.wake(wasContinued: true)
  case _:
    // The process dies of the signal, which arrives again when the handler returns.
    record.pointee.restore(evenInBackground: false)
    signal(number, SIG_DFL)
    raise(number)
  }
}

/// Restores the terminal, stops, and returns when continued.
private func stop() {
  record.pointee.restore(evenInBackground: false)
  var own = sigaction()
  sigaction(SIGTSTP, nil, &own)
  signal(SIGTSTP, SIG_DFL)
  raise(SIGTSTP)
  var only = sigset_t()
  sigemptyset(&only)
  sigaddset(&only, SIGTSTP)
  // The process stops here. The system does not stop a process group that no process could
  // continue; then this continues immediately.
  pthread_sigmask(SIG_UNBLOCK, &only, nil)
  pthread_sigmask(SIG_BLOCK, &only, nil)
  sigaction(SIGTSTP, &own, nil)
}
