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
    /// An amount, in which a comma may stand for the point: `12,50`.
    case amount(String)
    case secret
    /// A code, which is shown if the user asks for it.
    case code
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
    secret = [.secret, .code, .repetition].contains(kind) ? WipedBytes(capacity: Self.limit) : nil
    before = initial ?? ""
  }

  /// The text that the field has from the start; nil for one without.
  private var initial: String? {
    switch kind {
    case .text(let text), .amount(let text): text
    case .secret, .code, .repetition, .confirmation: nil
    }
  }

  /// The typed amount with a point in place of its only comma.
  var amount: String {
    let parts = text.split(separator: ",", omittingEmptySubsequences: false)
    return text.contains(".") ? text : parts.joined(separator: ".")
  }

  /// Whether a comma in it may separate thousands: `1,000`.
  var isAmbiguous: Bool {
    let parts = text.split(separator: ",", omittingEmptySubsequences: false)
    return parts.count > 2 || parts.count == 2 && (parts[1].count > 2 || text.contains("."))
  }

  /// The text of the field, before and after the cursor.
  var text: String { before + after }

  var isSecret: Bool { secret != nil }

  /// Whether the user typed something that the field did not have from the start.
  var isTyped: Bool { initial.map { $0 != text } ?? !isEmpty }

  var isEmpty: Bool { secret?.isEmpty ?? text.isEmpty }

  /// A copy of the typed text as a secret.
  var password: Secret { secret.map { Secret(bytes: Array($0.bytes)) } ?? Secret(text) }

  /// What is typed of a code; nil for another kind of text.
  var typedCode: String? { kind == .code ? secret.map { String(decoding: $0.bytes, as: UTF8.self) } : nil }

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
