/// A name that screens show: 1 to 64 characters of printable text, without spaces at its ends.
package struct DisplayName {
  package let text: String

  /// - Throws: ``LocalFailure`` of kind `invalid` that says the accepted form.
  package init(_ typed: String) throws(LocalFailure) {
    let scalars = typed.unicodeScalars
    guard typed.utf8.count <= 256, (1...64).contains(typed.count), !scalars.contains(where: \.isTreacherous),
      let first = scalars.first, let last = scalars.last, !first.properties.isWhitespace, !last.properties.isWhitespace
    else {
      let shown = typed.utf8.count > 256 ? "a text of \(typed.utf8.count) bytes" : "'\(typed.printable)'"
      throw .invalid(
        "display_name_invalid", "\(shown) is not a name that can be shown.",
        hint: "Use 1 to 64 characters without control characters, not beginning or ending with a space.")
    }
    text = typed
  }
}
