import AuthCore
import CommandLineKit

/// A line that is being typed, and where in it.
///
/// It never prints what it holds: it may be a password.
final class AppInput: Redacted {
  /// As long as a line of the terminal may be; longer text is refused whole.
  static let limit = 511

  let label: String
  let isSecret: Bool
  private(set) var text = ""
  /// How many characters are before the cursor.
  private(set) var cursor = 0

  init(_ label: String, _ text: String = "", isSecret: Bool = false) {
    self.label = label
    self.isSecret = isSecret
    self.text = text
    cursor = text.count
  }

  func clear() {
    (text, cursor) = ("", 0)
  }

  /// Applies a key that edits.
  ///
  /// - Returns: Why the key changed nothing although it is one that types; nil otherwise.
  func edit(_ key: Key) -> String? {
    switch key {
    case .character(let scalar): return insert(String(Character(scalar)))
    case .paste(let text):
      let line = text.last == "\n" ? String(text.dropLast()) : text
      let manyLines = line.utf8.contains(0x0A)
      return manyLines ? "The pasted text has more than one line. Nothing was taken." : insert(line)
    case .unusablePaste: return "The pasted text is too long, or is not text. Nothing was taken."
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
    case .control, .backspace, .delete, .enter, .escape, .tab, .backTab, .up, .down, .pageUp, .pageDown, .unknown: break
    }
    return nil
  }

  private func index(_ count: Int) -> String.Index { text.index(text.startIndex, offsetBy: count) }

  private func remove(_ count: Int) {
    text.remove(at: index(count))
    cursor = count
  }

  private func insert(_ more: String) -> String? {
    guard text.utf8.count + more.utf8.count <= Self.limit else { return "The line is longer than \(Self.limit) bytes." }
    let rest = text[index(cursor)...].count
    text.insert(contentsOf: more, at: index(cursor))
    // Counted from the end: a mark joins the character before it.
    cursor = text.count - rest
    return nil
  }
}
