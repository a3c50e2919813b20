/// What a person did at the keyboard.
package enum Key: Equatable, Sendable {
  /// A character; combining marks come one by one.
  case character(Unicode.Scalar)
  /// A letter with the control key, in lower case.
  case control(Unicode.Scalar)
  case enter, escape, tab, backTab, backspace, delete
  case up, down, left, right, home, end, pageUp, pageDown
  /// Text that was pasted, with its line endings as `\n`.
  case paste(String)
  /// More was pasted than anybody could mean, or it is not text; none of it is kept.
  case unusablePaste
  /// A key that is not used here.
  case unknown
}
