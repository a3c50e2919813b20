import CommandLineKit
import Glibc
import TextFormat

/// Replaces this program by its companion for PostgreSQL servers if AUTH_CLI_AUTHORITY is set.
///
/// The companion is an executable of its own, like git's `git-remote-https`. So libpq stays a
/// shared library with the updates of the distribution, and the embedded program stays small.
enum HandOver {
  static let variable = "AUTH_CLI_AUTHORITY"
  static let companion = "auth-cli-postgres"
  /// Tells the companion the version of the program that it replaces.
  static let versionVariable = "AUTH_CLI_HANDED_OVER_BY"

  /// Hands over, and never returns; or returns if this is the right program already.
  ///
  /// - Throws: ``CommandError`` when there is no companion, or it is of another version.
  static func take(isCompanion: Bool) throws(CommandError) {
    guard !isCompanion else { return try check() }
    guard let authority = Environment.word(variable), !authority.bytes.isEmpty else { return }
    guard let own = ownPath() else {
      throw missing("the path of auth-cli cannot be read: \(ErrorNumber.current.explanation)")
    }
    let path = own.prefix(through: own.lastIndex(of: UInt8(ascii: "/")) ?? own.startIndex) + Array(companion.utf8) + [0]
    setenv(versionVariable, AuthTool.version, 1)
    path.map { CChar(bitPattern: $0) }.withUnsafeBufferPointer { path in
      if let path = path.baseAddress { _ = execv(path, CommandLine.unsafeArgv) }
    }
    let shown = Word(bytes: Array(path.dropLast())).quoted
    throw missing("\(shown): \(ErrorNumber.current.explanation)")
  }

  private static func missing(_ reason: String) -> CommandError {
    CommandError(
      .companionMissing, "\(variable) names a server, and \(companion) cannot be run: \(reason)",
      hint: "Install it beside auth-cli (it needs libpq), or unset \(variable) to use the database on this machine.")
  }

  /// A program that hands over must have the version of its companion.
  ///
  /// The companion also runs by itself.
  private static func check() throws(CommandError) {
    guard let other = Environment.word(versionVariable)?.text, other != AuthTool.version else { return }
    throw CommandError(
      .companionOutdated, "auth-cli has version \(other), and \(companion) has \(AuthTool.version)",
      hint: "Install both from the same source; nothing was changed.")
  }

  private static func ownPath() -> [UInt8]? {
    var buffer = [CChar](repeating: 0, count: 4096)
    let count = readlink("/proc/self/exe", &buffer, buffer.count)
    return count > 0 ? buffer.prefix(count).map { UInt8(bitPattern: $0) } : nil
  }
}
