import AuthService
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

  /// Whether the accounts are on a server, or at a service.
  static var isWanted: Bool { getenv(variable).map { $0.pointee != 0 } ?? false }

  /// The address of the service that has the accounts, right or wrong; nil where there is none.
  static var service: String? {
    guard let text = Environment.word(variable)?.text, ServiceAddress.isMeant(by: text) else { return nil }
    return text
  }

  /// Hands over, and never returns; or returns if this is the right program already.
  ///
  /// - Throws: ``CommandError`` when there is no companion, or it is of another version.
  static func take(isCompanion: Bool) throws(CommandError) {
    guard !isCompanion else { return try check() }
    guard isWanted, service == nil else { return }
    guard let path = companionPath() else {
      throw missing("the path of auth-cli cannot be read: \(ErrorNumber.current.explanation)")
    }
    replace(by: path)
    let shown = Word(bytes: path.map { UInt8(bitPattern: $0) }).quoted
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
  static func check() throws(CommandError) {
    guard let other = Environment.word(versionVariable)?.text, other != AuthTool.version else { return }
    throw CommandError(
      .companionOutdated, "auth-cli has version \(other), and \(companion) has \(AuthTool.version)",
      hint: "Install both from the same source; nothing was changed.")
  }

  /// The path of the companion beside this program.
  private static func companionPath() -> [CChar]? {
    var path = [CChar](repeating: 0, count: 4096)
    var count = readlink("/proc/self/exe", &path, path.count)
    guard count > 0 else { return nil }
    while count > 0, path[count - 1] != CChar(bitPattern: UInt8(ascii: "/")) { count -= 1 }
    path.removeLast(path.count - count)
    for byte in companion.utf8 { path.append(CChar(bitPattern: byte)) }
    return path
  }

  /// Returns when the companion cannot be run; errno says why.
  private static func replace(by path: [CChar]) {
    setenv(versionVariable, AuthTool.version, 1)
    _ = execv(path + [0], CommandLine.unsafeArgv)
  }
}
