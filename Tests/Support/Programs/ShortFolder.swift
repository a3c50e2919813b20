import FoundationEssentials
import Glibc

/// A directory that is deleted at the end, with a short name: that of a socket has at most 107
/// bytes.
package final class ShortFolder: Sendable {
  package let path: String

  /// A directory where `TMPDIR` says: in memory, as `.ci/tests` sets it.
  ///
  /// On a slow disk, commands that wait for one another give up.
  package static var quick: ShortFolder { ShortFolder(in: Program.inheritedEnvironment["TMPDIR"] ?? "/tmp") }

  package init(in place: String = "/tmp") {
    var template = Array("\(place)/auth-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { preconditionFailure("mkdtemp failed: \(errno)") }
    path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  /// Creates a directory in it.
  ///
  /// - Returns: The path of the directory.
  package func makeDirectory(_ name: String) throws -> String {
    let child = "\(path)/\(name)"
    try FileManager.default.createDirectory(atPath: child, withIntermediateDirectories: false)
    return child
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }
}
