import AuthCore
import CommandLineKit

/// A field of a form: its text and the cursor.
///
/// A password is stored in a single buffer, which is wiped afterwards. It has no cursor, because it
/// is not shown.
final class AppInput: Redacted {
  /// The maximum length in bytes; longer text is refused whole.
  static let limit = 511

  /// The kind of text.
  enum Kind: Equatable {
    /// Visible text with this initial value.
    case text(String = "")
    case secret
    /// The secret of the field above, typed again.
    case repetition
    /// A name to type, so that nothing is deleted by accident.
    case confirmation(of: String)
  }

  let label: String
  let kind: Kind
  /// The bytes of a password; nil for visible text.
  private let secret: WipedBytes?
  /// The visible text before and after the cursor; empty for a password.
  private(set) var (before, after) = ("", "")

  init(_ label: String, _ kind: Kind = .text()) {
    (self.label, self.kind) = (label, kind)
    secret = kind == .secret || kind == .repetition ? WipedBytes(capacity: Self.limit) : nil
    if case .text(let text) = kind { before = text }
  }

  /// The text of the field, before and after the cursor.
  var text: String { before + after }

  var isSecret: Bool { secret != nil }

  /// Whether the user typed something that the field did not have from the start.
  var isTyped: Bool { if case .text(let text) = kind { text != self.text } else { !isEmpty } }

  var isEmpty: Bool { secret?.isEmpty ?? text.isEmpty }

  /// A copy of the typed text as a secret.
  var password: Secret { secret.map { Secret(bytes: Array($0.bytes)) } ?? Secret(text) }

  func clear() {
    (before, after) = ("", "")
    secret?.wipe()
  }

  /// Edits the text if the key is an editing key.
  ///
  /// - Returns: The reason if text could not be inserted; otherwise nil.
  func edit(_ key: Key) -> String? {
    switch key {
    case .character(let scalar): return insert(scalar)
    case .paste(let pasted):
      guard let line = pasted.line else { return "The pasted text has more than one line. Nothing was inserted." }
      guard let secret else { return insert(String(decoding: line, as: UTF8.self)) }
      return secret.append(line) ? nil : Self.tooLong
    case .unusablePaste: return "The pasted text is too long, is not text or has no end. Nothing was inserted."
    case _: break
    }
    if let secret { edit(secret, key) } else { move(key) }
    return nil
  }

  private static let tooLong = "The line is longer than \(limit) bytes."

  private func insert(_ scalar: Unicode.Scalar) -> String? {
    guard let secret else { return insert(String(Character(scalar))) }
    guard secret.room >= UTF8.width(scalar) else { return Self.tooLong }
    for byte in UTF8.encode(scalar) ?? .init() { secret.append(byte) }
    return nil
  }

  private func edit(_ secret: WipedBytes, _ key: Key) {
    switch key {
    case .backspace:
      // Remove the continuation bytes of the last character (UTF-8), then its first byte.
      while let byte = secret.removeLast(), byte & 0xC0 == 0x80 {}
    case .control("u"): secret.wipe()
    case .control("w"):
      while secret.bytes.last == UInt8(ascii: " ") { secret.removeLast() }
      while let last = secret.bytes.last, last != UInt8(ascii: " ") { secret.removeLast() }
    case _: break
    }
  }

  private func move(_ key: Key) {
    switch key {
    case .backspace: _ = before.popLast()
    case .delete: if !after.isEmpty { after.removeFirst() }
    case .left: if let last = before.popLast() { after = String(last) + after }
    case .right: if !after.isEmpty { before.append(after.removeFirst()) }
    case .home, .control("a"): (before, after) = ("", text)
    case .end, .control("e"): (before, after) = (text, "")
    case .control("u"): before = ""
    case .control("w"):
      while before.last == " " { before.removeLast() }
      while let last = before.last, last != " " { before.removeLast() }
    case _: break
    }
  }

  func insert(_ more: String) -> String? {
    guard text.utf8.count + more.utf8.count <= Self.limit else { return Self.tooLong }
    before += more
    return nil
  }
}
