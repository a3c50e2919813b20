/// Quotes text so that a shell takes it literally.
package enum ShellQuoting {
  /// One word between single quotation marks, for bash and zsh.
  package static func posix(_ text: String) -> String {
    "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
  }

  /// One word of a command to paste, quoted only if the shell needs it.
  package static func word(_ text: String) -> String {
    let plain =
      !text.isEmpty
      && text.utf8.allSatisfy { $0.isASCIIAlphanumeric || "-_./:=+,@%".utf8.contains($0) }
    return plain ? text : printable(text)
  }

  /// One word of a command to paste, safe to print.
  ///
  /// It has the form `$'…'` of POSIX.1-2024 if something must be escaped.
  package static func printable(_ text: String) -> String {
    guard text.unicodeScalars.contains(where: \.isUnprintable) else { return posix(text) }
    let escaped = text.unicodeScalars.map { scalar in
      switch scalar {
      case "'", "\\": "\\\(scalar)"
      case _ where scalar.isUnprintable: scalar.utf8.map { "\\\($0 / 64)\($0 / 8 % 8)\($0 % 8)" }.joined()
      case _: String(scalar)
      }
    }
    return "$'" + escaped.joined() + "'"
  }
}
