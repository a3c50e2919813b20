import AuthCore
import CommandLineKit

/// A line that is being typed, and where in it.
///
/// A password is in one place of memory only, which is wiped with it. It has no cursor, because
/// nobody sees one: its end changes, or all of it.
final class AppInput: Redacted {
  /// As long as a line of the terminal may be; longer text is refused whole.
  static let limit = 511

  /// What is typed into it.
  enum Kind: Equatable {
    /// Text that shows, and what it starts with.
    case text(String = "")
    case secret
    /// The secret of the field above, typed again.
    case repetition
    /// A name to type, so that nothing is deleted by accident.
    case confirmation(of: String)
  }

  let label: String
  let kind: Kind
  /// The bytes of a password; nil for text that shows.
  private let secret: WipedBytes?
  /// The text that shows; empty for a password.
  private(set) var text = ""
  /// How many characters are before the cursor.
  private(set) var cursor = 0

  init(_ label: String, _ kind: Kind = .text()) {
    (self.label, self.kind) = (label, kind)
    secret = kind == .secret || kind == .repetition ? WipedBytes(capacity: Self.limit) : nil
    if case .text(let text) = kind { (self.text, cursor) = (text, text.count) }
  }

  var isSecret: Bool { secret != nil }

  var isEmpty: Bool { secret?.isEmpty ?? text.isEmpty }

  /// A copy of what was typed, for whoever checks it.
  var password: Secret { secret.map { Secret(bytes: Array($0.bytes)) } ?? Secret(text) }

  /// Whether the same was typed into another line.
  func isLike(_ other: AppInput) -> Bool {
    guard let secret, let others = other.secret else { return text == other.text }
    return secret.bytes.elementsEqual(others.bytes)
  }

  func clear() {
    (text, cursor) = ("", 0)
    secret?.wipe()
  }

  /// Applies a key that edits.
  ///
  /// - Returns: Why the key changed nothing although it is one that types; nil otherwise.
  func edit(_ key: Key) -> String? {
    switch key {
    case .character(let scalar): return insert(scalar)
    case .paste(let pasted):
      guard let line = pasted.line else { return "The pasted text has more than one line. Nothing was taken." }
      guard let secret else { return insert(String(decoding: line, as: UTF8.self)) }
      return secret.append(line) ? nil : Self.tooLong
    case .unusablePaste: return "The pasted text is too long, or is not text. Nothing was taken."
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
      // The bytes that follow the first of a character, then that one.
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
    case .backspace where cursor > 0: remove(cursor - 1)
    case .delete where cursor < text.count: remove(cursor)
    case .left: cursor = max(0, cursor - 1)
    case .right: cursor = min(text.count, cursor + 1)
    case .home, .control("a"): cursor = 0
    case .end, .control("e"): cursor = text.count
    case .control("u"): while cursor > 0 { remove(cursor - 1) }
    case .control("w"):
      while cursor > 0, text[index(cursor - 1)] == " " { remove(cursor - 1) }
      while cursor > 0, text[index(cursor - 1)] != " " { remove(cursor - 1) }
    case _: break
    }
  }

  private func index(_ count: Int) -> String.Index { text.index(text.startIndex, offsetBy: count) }

  private func remove(_ count: Int) {
    text.remove(at: index(count))
    cursor = count
  }

  private func insert(_ more: String) -> String? {
    guard text.utf8.count + more.utf8.count <= Self.limit else { return Self.tooLong }
    let rest = text[index(cursor)...].count
    text.insert(contentsOf: more, at: index(cursor))
    // Counted from the end: a mark joins the character before it.
    cursor = text.count - rest
    return nil
  }
}
