/// Quotes text so that a shell takes it literally.
package enum ShellQuoting {
  /// One word between single quotation marks, for bash and zsh.
  package static func posix(_ text: String) -> String {
    "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
  }

  /// One word between single quotation marks, for fish.
  package static func fish(_ text: String) -> String {
    "'" + text.map { $0 == "'" || $0 == "\\" ? "\\\($0)" : String($0) }.joined() + "'"
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
    var result = "$'"
    for scalar in text.unicodeScalars {
      if scalar == "'" || scalar == "\\" {
        result += "\\\(scalar)"
      } else if scalar.isUnprintable {
        for byte in String(scalar).utf8 {
          result += "\\" + String(byte / 64) + String(byte / 8 % 8) + String(byte % 8)
        }
      } else {
        result.unicodeScalars.append(scalar)
      }
    }
    return result + "'"
  }
}
