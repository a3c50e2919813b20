/// An input of the user.
package enum Key: Equatable, Sendable {
  /// A character; combining marks arrive separately.
  case character(Unicode.Scalar)
  /// A letter with the control key, in lower case; `\` if the terminal reports it by a number.
  case control(Unicode.Scalar)
  case enter, escape, tab, backTab, backspace, delete
  case up, down, left, right, home, end, pageUp, pageDown
  case help
  /// A mouse click, at a position counted from 0 at the upper left; and its wheel, up or down.
  case click(row: Int, column: Int), scrollUp, scrollDown
  /// Pasted text, with its line endings as `\n`.
  case paste(PastedText)
  /// A paste that is too long, not text or without its end; its content is discarded.
  case unusablePaste
}

/// Pasted text; its memory is wiped when it is released.
package final class PastedText: Equatable, Sendable {
  // Safe: nobody writes the bytes after the initializer; they are wiped with the last reference.
  private nonisolated(unsafe) let storage: WipedBytes

  /// Takes ownership of the bytes, which are UTF-8.
  package init(_ bytes: WipedBytes) {
    storage = bytes
  }

  /// The bytes of the only line, without its line ending; nil if there are more lines.
  package var line: UnsafeRawBufferPointer? {
    let bytes = storage.bytes
    let line = bytes.last == 0x0A ? UnsafeRawBufferPointer(rebasing: bytes.dropLast()) : bytes
    return line.contains(0x0A) ? nil : line
  }

  package static func == (one: PastedText, other: PastedText) -> Bool {
    one.storage.bytes.elementsEqual(other.storage.bytes)
  }
}
