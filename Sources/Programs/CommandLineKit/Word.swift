import Glibc
import TextFormat

/// One word of the command line, as bytes.
///
/// The system passes any bytes but NUL. They are never repaired, because a repaired word would be
/// another word.
package struct Word: Hashable, Sendable, ExpressibleByStringLiteral {
  package let bytes: [UInt8]

  package init(bytes: some Sequence<UInt8>) { self.bytes = Array(bytes) }

  package init(_ text: some StringProtocol) { bytes = Array(text.utf8) }

  package init(stringLiteral text: String) { self.init(text) }

  /// The word as text, or nil if it is not UTF-8.
  package var text: String? { String(validating: bytes, as: UTF8.self) }

  /// Whether the word is exactly this text.
  package func isSpelled(_ text: String) -> Bool { bytes.elementsEqual(text.utf8) }

  /// The word in quotation marks for a message: escaped, shortened if it is long, and without what
  /// may be a secret.
  package var quoted: String { TextEscaping.quote(bytes) }

  /// The words after the program's name, read from the process itself; nil if they cannot be read.
  ///
  /// Swift's `CommandLine` is silently empty if the process cannot open a file.
  package static func programArguments() -> [Word]? {
    let file = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return nil }
    defer { close(file) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = read(file, &buffer, buffer.count)
      if count < 0, errno != EINTR { return nil }
      if count == 0 { break }
      if count > 0 { bytes += buffer[..<count] }
    }
    // Each word ends with a NUL.
    return bytes.split(separator: 0, omittingEmptySubsequences: false).dropFirst().dropLast().map { Word(bytes: $0) }
  }

  /// The bytes of a C string, without its NUL.
  package init(cString: UnsafePointer<CChar>) {
    let length = strlen(cString)
    bytes = Array(UnsafeRawBufferPointer(start: cString, count: length))
  }
}
