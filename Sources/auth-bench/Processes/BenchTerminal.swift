import Glibc

/// A program on a pseudo-terminal of 80 columns and 24 rows, and what it draws.
final class BenchTerminal {
  /// The end of a frame: that of a synchronized update (DEC mode 2026).
  static let endOfFrame = "\u{1B}[?2026l"

  let process: pid_t
  private let master: Int32
  private var unread: [UInt8] = []

  /// Starts the program there, as the leader of a session of its own.
  init(_ program: ChildProcess) throws {
    try PageCache.readAgain(program.path)
    // The C library's functions for this are not imported: these are the requests that they make.
    let (unlock, getNumber): (UInt, UInt) = (0x4004_5431, 0x8004_5430)
    var (locked, number): (Int32, Int32) = (0, 0)
    var size = winsize(ws_row: 24, ws_col: 80, ws_xpixel: 0, ws_ypixel: 0)
    master = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
    guard master >= 0, ioctl(master, unlock, &locked) == 0, ioctl(master, getNumber, &number) == 0,
      ioctl(master, UInt(TIOCSWINSZ), &size) == 0
    else { throw BenchError.system("a pseudo-terminal") }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    // `POSIX_SPAWN_SETSID`: the terminal that it opens first is the one that controls it.
    posix_spawnattr_setflags(&attributes, 0x80)
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/pts/\(number)", O_RDWR, 0)
    for descriptor in [Int32(1), 2] { posix_spawn_file_actions_adddup2(&actions, 0, descriptor) }
    let words = ([program.path] + program.arguments).map { strdup($0) } + [nil]
    let variables = (program.environment + ["TERM=xterm"]).map { strdup($0) } + [nil]
    defer { for text in words + variables { free(text) } }
    var process: pid_t = 0
    let code = posix_spawn(&process, program.path, &actions, &attributes, words, variables)
    guard code == 0 else { throw BenchError.system(program.path, code) }
    self.process = process
  }

  deinit {
    kill(process, SIGKILL)
    waitpid(process, nil, 0)
    close(master)
  }

  /// Types.
  func send(_ text: String) throws {
    let bytes = Array(text.utf8)
    guard write(master, bytes, bytes.count) == bytes.count else { throw BenchError.system("the pseudo-terminal") }
  }

  /// Reads up to the end of the next frame, and returns how many bytes that took.
  @discardableResult
  func frame() throws -> Int { try read(upTo: Self.endOfFrame) }

  /// Reads up to the end of the text, and returns how many bytes that took.
  @discardableResult
  func read(upTo text: String) throws -> Int {
    let wanted = Array(text.utf8)
    while true {
      if let end = Self.find(wanted, in: unread) {
        unread.removeFirst(end)
        return end
      }
      if try !read(atMost: 20_000) {
        throw BenchError("\(text.debugDescription) did not come within 20 s, but \(shown.debugDescription)")
      }
    }
  }

  private var shown: String { String(decoding: unread, as: UTF8.self) }

  /// Reads for so long, and returns how many bytes came.
  func listen(milliseconds: Int32) throws -> Int {
    let end = ContinuousClock.now + .milliseconds(Int(milliseconds))
    while ContinuousClock.now < end {
      let left = (end - .now).components
      _ = try read(atMost: Int32(left.seconds * 1000 + left.attoseconds / 1_000_000_000_000_000) + 1)
    }
    defer { unread = [] }
    return unread.count
  }

  private func read(atMost milliseconds: Int32) throws -> Bool {
    var event = pollfd(fd: master, events: Int16(POLLIN), revents: 0)
    guard poll(&event, 1, milliseconds) > 0 else { return false }
    var buffer = [UInt8](repeating: 0, count: 65_536)
    let count = Glibc.read(master, &buffer, buffer.count)
    guard count > 0 else { throw BenchError("the full-screen program ended") }
    unread += buffer[..<count]
    return true
  }

  /// - Returns: Where the bytes end in `text`.
  private static func find(_ wanted: [UInt8], in text: [UInt8]) -> Int? {
    guard text.count >= wanted.count else { return nil }
    return (0...(text.count - wanted.count)).first { text[$0..<($0 + wanted.count)].elementsEqual(wanted) }
      .map { $0 + wanted.count }
  }
}
