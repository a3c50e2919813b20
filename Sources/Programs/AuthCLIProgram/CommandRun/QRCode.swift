import AuthOAuth
import CommandLineKit
import Glibc

/// A QR code, drawn by `qrencode` if that is installed.
enum QRCode {
  /// The message if the program is missing.
  static let missing = "Install qrencode to see a QR code here."
  /// The message if the program failed, or took too long.
  static let failed = "qrencode drew no QR code; enter the text instead."

  /// How many columns the code of a text takes, with an empty margin of two modules around it.
  ///
  /// The standard has a margin of four; two fit into 80 columns and 24 rows beside a form, and zbar
  /// reads them.
  ///
  /// Source: ISO/IEC 18004, the bytes that versions 1 to 10 hold at level L; a version has 17
  /// modules and four for each.
  static func columns(of text: String) -> Int {
    let bytes = [17, 32, 53, 78, 106, 134, 154, 192, 230, 271]
    let version = (bytes.firstIndex { $0 >= text.utf8.count } ?? bytes.count) + 1
    return 17 + 4 * version + 2 * margin
  }

  private static let margin = 2

  /// The code of a text in lines; none if the program failed, nil if it is missing.
  ///
  /// On a stream the code sets its own colours, black on white, also if nothing else is
  /// coloured: without them it is inverted on a light terminal, and few cameras read that.
  /// The text goes through a pipe and not on a command line, where other users could read it.
  static func lines(_ text: String, onStream: Bool = false) -> [String]? {
    var ends: [Int32] = [-1, -1]
    guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else { return [] }
    defer { close(ends[0]) }
    let words = ["qrencode", "-t", onStream ? "ANSIUTF8" : "UTF8", "-m", String(margin), "-o", "-"]
    let started = ChildProgram.start(words) { actions in
      for descriptor in [STDIN_FILENO, STDOUT_FILENO] {
        posix_spawn_file_actions_adddup2(&actions, ends[1], descriptor)
      }
      posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0)
    }
    close(ends[1])
    guard let started else { return nil }
    // The text fits into the buffer of the socket. If the program has ended, it draws nothing.
    let bytes = Array(text.utf8)
    _ = send(ends[0], bytes, bytes.count, Int32(MSG_NOSIGNAL))
    shutdown(ends[0], Int32(SHUT_WR))
    let drawn = output(of: ends[0], until: .now + limit)
    // The whole process group: `qrencode` may be a script.
    kill(-started, SIGKILL)
    while waitpid(started, nil, 0) < 0, errno == EINTR {}
    return String(decoding: drawn, as: UTF8.self).split(separator: "\n").map(String.init)
  }

  /// How long the program may take.
  private static let limit = Duration.seconds(2)

  /// All that the program writes; nothing if it does not end in time.
  private static func output(of descriptor: Int32, until deadline: SuspendingClock.Instant) -> [UInt8] {
    var (drawn, buffer) = ([UInt8](), [UInt8](repeating: 0, count: 4096))
    while true {
      var event = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      let count = poll(&event, 1, deadline.remainingMilliseconds)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return [] }
      let length = read(descriptor, &buffer, buffer.count)
      if length < 0, errno == EINTR { continue }
      if length <= 0 { return drawn }
      drawn += buffer[..<length]
    }
  }
}
