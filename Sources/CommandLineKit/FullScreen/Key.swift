/// What a person did at the keyboard.
package enum Key: Equatable, Sendable {
  /// A character; combining marks come one by one.
  case character(Unicode.Scalar)
  /// A letter with the control key, in lower case.
  case control(Unicode.Scalar)
  case enter, escape, tab, backTab, backspace, delete
  case up, down, left, right, home, end, pageUp, pageDown
  case help
  /// A press of the mouse, at a place counted from 0 at the upper left; and its wheel, up or down.
  case click(row: Int, column: Int), scrollUp, scrollDown
  /// Text that was pasted, with its line endings as `\n`.
  case paste(PastedText)
  /// More was pasted than anybody could mean, or it is not text; none of it is kept.
  case unusablePaste
}

/// Text that was pasted; its memory is wiped when it is no longer used.
package final class PastedText: Equatable, Sendable {
  // Nobody changes the bytes after this was made.
  private nonisolated(unsafe) let storage: WipedBytes

  /// Takes over the bytes, which are UTF-8.
  init(_ bytes: WipedBytes) {
    storage = bytes
  }

  /// Copies a string, which is no secret.
  package convenience init(_ text: String) {
    let bytes = WipedBytes(capacity: text.utf8.count)
    for byte in text.utf8 { bytes.append(byte) }
    self.init(bytes)
  }

  /// A copy as a string, for text that is no secret.
  package var text: String { storage.text }

  /// The bytes of the only line, without its end; nil when there are more lines.
  package var line: UnsafeRawBufferPointer? {
    let bytes = storage.bytes
    let line = bytes.last == 0x0A ? UnsafeRawBufferPointer(rebasing: bytes.dropLast()) : bytes
    return line.contains(0x0A) ? nil : line
  }

  package static func == (one: PastedText, other: PastedText) -> Bool {
    one.storage.bytes.elementsEqual(other.storage.bytes)
  }
}
