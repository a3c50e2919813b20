import Foundation

/// A directory of its own for one test, removed with all its contents at the end of its life.
final class ScratchDirectory: Sendable {
  let path: String

  init() throws {
    path = "/tmp/transcript-" + UUID().uuidString
    try FileManager.default.createDirectory(
      atPath: path, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
  }

  func makeDirectory(_ name: String) throws -> String {
    let child = "\(path)/\(name)"
    try FileManager.default.createDirectory(atPath: child, withIntermediateDirectories: false)
    return child
  }

  deinit {
    try? FileManager.default.removeItem(atPath: path)
  }
}
