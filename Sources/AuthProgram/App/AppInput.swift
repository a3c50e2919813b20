import AuthCore
import CommandLineKit

/// A line that is being typed, and where in it.
///
/// It never prints what it holds: it may be a password.
struct AppInput: Sendable, Redacted {
  /// As long as a line of the terminal may be; longer text is refused whole.
  static let limit = 511

  private(set) var text = ""
  /// How many characters are before the cursor.
  private(set) var cursor = 0

  init(_ text: String = "") {
    self.text = text
    cursor = text.count
  }

  /// Applies a key that edits.
  ///
  /// - Returns: Why the key changed nothing although it is one that types; nil otherwise.
  mutating func edit(_ key: Key) -> String? {
    switch key {
    case .character(let scalar): return insert(String(Character(scalar)))
    case .paste(let text):
      let line = text.last == "\n" ? String(text.dropLast()) : text
      let manyLines = line.contains { $0 == "\n" }
      return manyLines ? "The pasted text has more than one line. Nothing was taken." : insert(line)
    case .unusablePaste: return "The pasted text is too long, or is not text. Nothing was taken."
    case .backspace where cursor > 0:
      cursor -= 1
      text.remove(at: index)
    case .delete where cursor < text.count: text.remove(at: index)
    case .left: cursor = max(0, cursor - 1)
    case .right: cursor = min(text.count, cursor + 1)
    case .home, .control("a"): cursor = 0
    case .end, .control("e"): cursor = text.count
    case .control("u"):
      text = String(text[index...])
      cursor = 0
    case .control("w"):
      let before = text[..<index]
      let kept = before.reversed().drop { $0 == " " }.drop { $0 != " " }
      text = String(kept.reversed()) + text[index...]
      cursor = kept.count
    case .control, .backspace, .delete, .enter, .escape, .tab, .backTab, .up, .down, .pageUp, .pageDown, .unknown: break
    }
    return nil
  }

  private var index: String.Index { text.index(text.startIndex, offsetBy: cursor) }

  private mutating func insert(_ more: String) -> String? {
    guard text.utf8.count + more.utf8.count <= Self.limit else { return "The line is longer than \(Self.limit) bytes." }
    let rest = text[index...].count
    text.insert(contentsOf: more, at: index)
    // Counted from the end: a mark joins the character before it.
    cursor = text.count - rest
    return nil
  }
}
