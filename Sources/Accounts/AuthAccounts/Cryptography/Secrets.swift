import AuthCore
import Glibc
import TextFormat

/// Random bytes from the kernel, and comparison that takes the same time wherever the difference
/// lies.
package enum Secrets {
  /// At most 256 bytes from the kernel: getentropy(3), which is getrandom(2).
  ///
  /// - Throws: ``BackendError`` when the kernel gives none; nothing weaker is used in their place.
  package static func random(count: Int) throws(BackendError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    guard getentropy(&bytes, count) == 0 else {
      throw .unavailable(.noRandomness, ErrorNumber.current.explanation)
    }
    return bytes
  }

  /// Random text without letters that are taken for digits, five bits a character (Crockford's base
  /// 32).
  package static func randomName(length: Int) throws(BackendError) -> String {
    let alphabet = Array("0123456789abcdefghjkmnpqrstvwxyz".utf8)
    return String(decoding: try random(count: length).map { alphabet[Int($0 & 31)] }, as: UTF8.self)
  }

  /// Whether two byte strings are equal.
  ///
  /// The time depends on the lengths only.
  package static func areEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    left.count == right.count && zip(left, right).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
  }
}
