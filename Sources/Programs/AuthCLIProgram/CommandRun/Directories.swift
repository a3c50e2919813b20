package import AuthAccounts
import AuthMessages
import CommandLineKit
import Glibc

/// The directories of this run, and the address of its service.
///
/// `AUTH_CLI_HOME` overrides the XDG base directories (freedesktop.org, XDG Base Directory
/// Specification 0.8, which ignores relative values). The default is in the home directory.
package struct Directories: Hashable, Sendable {
  /// The directory of the database.
  package let data: String
  /// The environment variable that set ``data``; nil for the default.
  let dataVariable: String?
  /// Whether the run is for the prompt of a shell or for completions: it does not wait long, and
  /// writes nothing.
  package var isForShell = false
  /// The longest wait for another process that locks the database.
  package var patience: Duration { isForShell ? .milliseconds(30) : .seconds(5) }
  /// The directory of the session files, one for each context.
  package let state: String
  /// The environment variable that set ``state``; nil for the default.
  let stateVariable: String?
  /// The address of the service, not checked yet; nil for the database on this machine.
  let service: String?
  /// The environment variable with the address of the service.
  static let serviceVariable = "AUTH_CLI_AUTHORITY"

  init(environment: (String) -> Word? = Environment.word) throws(CommandError) {
    let address = environment(Self.serviceVariable).map { String(decoding: $0.bytes, as: UTF8.self) }
    service = address == "" ? nil : address
    if let word = environment("AUTH_CLI_HOME"), !word.bytes.isEmpty {
      let home = try Self.text(word, "AUTH_CLI_HOME")
      (data, state) = (home, home)
      (dataVariable, stateVariable) = ("AUTH_CLI_HOME", "AUTH_CLI_HOME")
    } else {
      (data, dataVariable) = try Self.base("XDG_DATA_HOME", "/.local/share", environment)
      (state, stateVariable) = try Self.base("XDG_STATE_HOME", "/.local/state", environment)
    }
    try Self.require(data, toHaveAtMost: Self.longestData)
    try Self.require(state, toHaveAtMost: Self.longestState)
  }

  /// SQLite accepts paths of 512 bytes; this is its longest file name.
  private static let longestData = 512 - "/authority.db.backup-v9.new-journal".utf8.count
  /// The system accepts 4096 bytes (PATH_MAX); a session file has a name of 64 bytes and a suffix.
  private static let longestState = 4096 - 128

  /// Checks the length before anything is created: a part of a path that is too long could exist.
  private static func require(_ path: String, toHaveAtMost limit: Int) throws(CommandError) {
    if path.utf8.count + (path.hasPrefix("/") ? 0 : workingDirectoryLength + 1) > limit {
      throw CommandError(code: .homeTooLong, Word(path).quoted, "it may have at most \(limit) bytes from the root on")
    }
    if path.utf8.split(separator: UInt8(ascii: "/")).contains(where: { $0.count > 255 }) {
      throw CommandError(code: .homeTooLong, Word(path).quoted, "a name in it may have at most 255 bytes")
    }
  }

  /// The length that a relative path adds; zero if the working directory was deleted.
  private static var workingDirectoryLength: Int {
    guard let path = getcwd(nil, 0) else { return 0 }
    defer { free(path) }
    return strlen(path)
  }

  private static func base(
    _ variable: String, _ standard: String, _ environment: (String) -> Word?
  ) throws(CommandError) -> (String, String?) {
    if let word = environment(variable), word.bytes.first == UInt8(ascii: "/") {
      return (try text(word, variable) + "/auth-cli", variable)
    }
    guard let home = try environment("HOME").map({ (word) throws(CommandError) in try text(word, "HOME") }),
      home.hasPrefix("/")
    else {
      throw CommandError(code: .noHome)
    }
    return (home + standard + "/auth-cli", nil)
  }

  /// The path as text.
  ///
  /// Invalid UTF-8 is refused, because a repaired path would be another path.
  private static func text(_ word: Word, _ variable: String) throws(CommandError) -> String {
    if let text = word.text { return text }
    throw CommandError(code: .homeNotText, variable, word.quoted)
  }
}

/// The origin of this process, as the list of sessions shows it.
package enum OwnOrigin {
  /// The terminal, the program, and the host that the terminal belongs to.
  ///
  /// `SSH_CONNECTION` is set by sshd(8). Anybody can set it, so this helps to recognise a session
  /// and proves nothing.
  @Sendable package static func find() -> SessionOrigin? {
    SessionOrigin(terminal: terminal, program: program, host: host)
  }

  private static var terminal: String? {
    for descriptor in [STDIN_FILENO, STDERR_FILENO, STDOUT_FILENO] {
      var name = [CChar](repeating: 0, count: 64)
      guard ttyname_r(descriptor, &name, name.count) == 0 else { continue }
      let path = name.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } ?? "" }
      return plain(path.hasPrefix("/dev/") ? path.dropFirst("/dev/".count) : path[...])
    }
    return nil
  }

  private static var program: String? {
    guard let path = realpath("/proc/self/exe", nil) else { return nil }
    defer { free(path) }
    return String(cString: path).split(separator: "/").last.flatMap(plain)
  }

  private static var host: String? {
    guard let value = getenv("SSH_CONNECTION") else { return nil }
    return String(cString: value).split(separator: " ").first.flatMap(plain)
  }

  /// The text, if all of it can be shown as it is.
  private static func plain(_ text: Substring) -> String? {
    text.utf8.allSatisfy { (0x21...0x7E).contains($0) } ? String(text) : nil
  }
}
