import AuthMessages
import CommandLineKit
import Glibc
import TextFormat

/// A file with an access token, for programs that only read files.
struct TokenFile {
  let path: [UInt8]

  /// The path for messages.
  var name: String { String(decoding: path, as: UTF8.self).escaped }

  /// Replaces the file in one step, so that a reader sees the old token or the new one.
  ///
  /// The file contains the token without a line end, because some readers keep it, and has mode
  /// 0600. A link at the path is replaced, not followed.
  func replace(with token: String) throws(CommandError) {
    let target = path.map(CChar.init(bitPattern:)) + [0]
    var template = path.map(CChar.init(bitPattern:)) + Array(".XXXXXX".utf8CString)
    let descriptor = mkstemp(&template)
    guard descriptor >= 0 else { throw CommandError(code: .tokenFileNotWritten, name, ErrorNumber.current.explanation) }
    let bytes = Array(token.utf8)
    let isWritten = bytes.withUnsafeBytes { buffer in
      var written = 0
      while written < buffer.count {
        let count = write(descriptor, buffer.baseAddress?.advanced(by: written), buffer.count - written)
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { return false }
        written += count
      }
      return true
    }
    if isWritten, rename(template, target) == 0 {
      close(descriptor)
      return
    }
    let error = ErrorNumber.current
    close(descriptor)
    unlink(template)
    throw CommandError(code: .tokenFileNotWritten, name, error.explanation)
  }
}
