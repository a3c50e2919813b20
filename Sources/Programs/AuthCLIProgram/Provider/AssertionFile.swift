import AuthCore
import AuthMessages
import CommandLineKit
import Glibc
import TextFormat

/// A file with an assertion that another issuer signed for a client, such as the token of a
/// Kubernetes service account (RFC 7523).
struct AssertionFile {
  let path: String
  /// More than any request can have.
  private static let longest = 65_536

  /// Reads the assertion, without the line end that some writers add.
  func read() throws(CommandError) -> Secret {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw Self.unusable(path, ErrorNumber.current.explanation) }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while bytes.count <= Self.longest {
      let count = Glibc.read(descriptor, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw Self.unusable(path, ErrorNumber.current.explanation) }
      if count == 0 { break }
      bytes += buffer[..<count]
    }
    let blank = Set(" \t\r\n".utf8)
    let text = bytes.drop(while: blank.contains).reversed().drop(while: blank.contains).reversed()
    guard !text.isEmpty else { throw Self.unusable(path, "it is empty") }
    guard bytes.count <= Self.longest, text.allSatisfy({ (0x21...0x7E).contains($0) }) else {
      throw Self.unusable(path, "it does not contain one signed assertion")
    }
    return Secret(bytes: Array(text))
  }

  private static func unusable(_ path: String, _ reason: String) -> CommandError {
    CommandError(code: .assertionFileUnusable, path.escaped, reason)
  }
}

/// The absolute form of a path, because later runs may have another working directory.
enum AbsolutePath {
  static func text(_ path: String) throws(CommandError) -> String {
    if path.hasPrefix("/") { return path }
    guard let here = getcwd(nil, 0) else {
      throw CommandError(code: .directoryUnknown, ErrorNumber.current.explanation)
    }
    defer { free(here) }
    guard let directory = String(validatingCString: here) else {
      throw CommandError(code: .directoryUnknown, "its path is not UTF-8 text")
    }
    return (directory == "/" ? "" : directory) + "/" + path
  }
}
