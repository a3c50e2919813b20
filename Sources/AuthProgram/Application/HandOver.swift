import CommandLineKit
import Glibc

/// Replaces this program by its companion for PostgreSQL where AUTH_CLI_AUTHORITY names a database.
///
/// The companion is another executable, as git has `git-remote-https`: libpq stays a shared library, with the
/// distribution's updates, and the program with the embedded backend stays small.
enum HandOver {
  static let variable = "AUTH_CLI_AUTHORITY"
  static let companion = "auth-cli-postgres"
  /// Tells the companion the version of the program that it replaces.
  static let versionVariable = "AUTH_CLI_HANDED_OVER_BY"

  /// Hands over, which never returns; or returns where this is the right program already.
  ///
  /// - Throws: ``CommandError`` when there is no companion, or it is of another version.
  static func take(isCompanion: Bool) throws(CommandError) {
    guard !isCompanion else { return try check() }
    guard let authority = Environment.word(variable), !authority.bytes.isEmpty else { return }
    guard let own = ownPath() else {
      throw missing("its place cannot be found: \(SystemError.text(errno))")
    }
    let path = own.prefix(through: own.lastIndex(of: UInt8(ascii: "/")) ?? own.startIndex) + Array(companion.utf8) + [0]
    setenv(versionVariable, AuthTool.version, 1)
    path.map { CChar(bitPattern: $0) }.withUnsafeBufferPointer { path in
      if let path = path.baseAddress { _ = execv(path, CommandLine.unsafeArgv) }
    }
    let shown = Word(bytes: Array(path.dropLast())).quoted
    throw missing("\(shown): \(SystemError.text(errno))")
  }

  private static func missing(_ reason: String) -> CommandError {
    CommandError(
      .cannotTell, "companion_missing", "\(variable) names a server, and \(companion) cannot be run: \(reason)",
      hint: "Install it beside auth-cli (it needs libpq); or unset \(variable) to use the database of this machine.")
  }

  /// The companion runs alone, too; handed over to, it must be of the same version.
  private static func check() throws(CommandError) {
    guard let other = Environment.word(versionVariable)?.text, other != AuthTool.version else { return }
    throw CommandError(
      .cannotTell, "companion_outdated", "auth-cli has version \(other), and \(companion) has \(AuthTool.version)",
      hint: "Install both from the same source; nothing was changed.")
  }

  private static func ownPath() -> [UInt8]? {
    var buffer = [CChar](repeating: 0, count: 4096)
    let count = readlink("/proc/self/exe", &buffer, buffer.count)
    return count > 0 ? buffer.prefix(count).map { UInt8(bitPattern: $0) } : nil
  }
}
