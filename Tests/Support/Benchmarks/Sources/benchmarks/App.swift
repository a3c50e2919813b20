import Foundation
import Glibc

/// The full-screen program on a pseudo-terminal, beside another one that shows a list.
func app() throws -> [Benchmark] {
  let home = try Home()
  let payments = (0..<1000).map { "(1, 2, 1, \($0))" }.joined(separator: ", ")
  try home.sql(
    """
    INSERT INTO transfers(payer, payee, amount, made_at) VALUES \(payments);
    INSERT OR IGNORE INTO entries SELECT 1, id, -1 FROM transfers WHERE payer = 1;
    INSERT OR IGNORE INTO entries SELECT 2, id, 1 FROM transfers WHERE payer = 1;
    """)
  let app = home.command("app")
  let running = try Terminal(app)
  try running.read(upTo: "Welcome,")
  try running.send("3")
  try running.read(upTo: "RECEIPT")
  var key = "k"
  return [
    Benchmark(
      "app: first frame", .milliseconds, .atMost(0.5), samples: 30, against: "tig's",
      {
        var terminal: Terminal?
        return try ContinuousClock().measure {
          terminal = try Terminal(app)
          try terminal?.read(upTo: Terminal.endOfFrame)
        }.milliseconds
      }, baseline: try tig(in: home)),
    Benchmark("app: key to frame", .milliseconds, .limit(5), samples: 60) {
      try running.settle()
      key = key == "j" ? "k" : "j"
      return try ContinuousClock().measure {
        try running.send(key)
        try running.read(upTo: Terminal.endOfFrame)
      }.milliseconds
    },
    Benchmark("app: dismissal after a logout elsewhere", .milliseconds, .limit(50), samples: 15) {
      defer { _ = try? home.withPassword(home.cheap, "login", "alice").run() }
      let terminal = try Terminal(app)
      try terminal.read(upTo: "Welcome,")
      try terminal.settle()
      try home.sql("UPDATE sessions SET ended_reason = 'user_asked', ended_at = 0 WHERE ended_reason IS NULL")
      return try ContinuousClock().measure { try terminal.read(upTo: "logged out") }.milliseconds
    },
  ]
}

/// The first frame of tig with 30 commits.
private func tig(in home: Home) throws -> () throws -> Double {
  let path = home.path + "/repository"
  let git = try Program.installed("git")
  let environment = ["HOME=" + home.path, "PATH=/usr/bin:/bin"]
  let identity = ["-C", path, "-c", "user.name=alice", "-c", "user.email=alice@example.org"]
  try Program(path: git, arguments: ["init", "--quiet", path], environment: environment).run()
  for number in 1...30 {
    let words = identity + ["commit", "--quiet", "--allow-empty", "-m", "number\(number)"]
    try Program(path: git, arguments: words, environment: environment).run()
  }
  return {
    let program = Program(path: try Program.installed("tig"), arguments: ["-C", path], environment: environment)
    var terminal: Terminal?
    return try ContinuousClock().measure {
      terminal = try Terminal(program)
      try terminal?.read(upTo: "number30")
    }.milliseconds
  }
}

/// A program on a pseudo-terminal of 80 columns and 24 rows; it ends when this goes.
private final class Terminal {
  /// The end of a synchronized update (DEC mode 2026).
  static let endOfFrame = "\u{1B}[?2026l"

  private let master: Int32
  private let process: pid_t
  private var unread: [UInt8] = []

  init(_ program: Program) throws {
    // The C library's functions for this are not imported: these are the requests that they make.
    let (unlock, getNumber): (UInt, UInt) = (0x4004_5431, 0x8004_5430)
    var (locked, number): (Int32, Int32) = (0, 0)
    var size = winsize(ws_row: 24, ws_col: 80, ws_xpixel: 0, ws_ypixel: 0)
    master = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
    guard master >= 0, ioctl(master, unlock, &locked) == 0, ioctl(master, getNumber, &number) == 0,
      ioctl(master, UInt(TIOCSWINSZ), &size) == 0
    else { throw Failure(reason: "no pseudo-terminal: error \(errno)") }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer {
      posix_spawn_file_actions_destroy(&actions)
      posix_spawnattr_destroy(&attributes)
    }
    // POSIX_SPAWN_SETSID of <spawn.h>, which the importer leaves out.
    posix_spawnattr_setflags(&attributes, 0x80)
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/pts/\(number)", O_RDWR, 0)
    posix_spawn_file_actions_adddup2(&actions, 0, 1)
    posix_spawn_file_actions_adddup2(&actions, 0, 2)
    var program = program
    program.environment.append("TERM=xterm")
    process = try program.spawn(&actions, &attributes)
  }

  deinit {
    close(master)
    kill(process, SIGKILL)
    var status: Int32 = 0
    waitpid(process, &status, 0)
  }

  func send(_ text: String) throws {
    guard write(master, text, text.utf8.count) == text.utf8.count else { throw Failure(reason: "cannot type") }
  }

  /// Reads up to the end of the text.
  func read(upTo text: String) throws {
    let wanted = Array(text.utf8)
    while true {
      if let place = unread.firstRange(of: wanted) {
        unread.removeFirst(place.upperBound)
        return
      }
      guard try readMore(milliseconds: 20_000) else {
        throw Failure(reason: "\(text) is not shown, but \(String(decoding: unread, as: UTF8.self))")
      }
    }
  }

  /// Reads until nothing is drawn any more.
  func settle() throws {
    while try readMore(milliseconds: 60) {}
    unread = []
  }

  private func readMore(milliseconds: Int32) throws -> Bool {
    var descriptor = pollfd(fd: master, events: Int16(POLLIN), revents: 0)
    guard poll(&descriptor, 1, milliseconds) > 0 else { return false }
    var buffer = [UInt8](repeating: 0, count: 65_536)
    let count = Glibc.read(master, &buffer, buffer.count)
    unread += buffer.prefix(max(count, 0))
    return count > 0
  }
}
