import Testing

/// A fenced block of Swift in a Markdown file.
struct Snippet: CustomTestStringConvertible {
  let file: String
  /// The line of its first line of code, counted from 1.
  let line: Int
  let code: String

  /// A block whose first line starts with this is not compiled; the line tells the reader why.
  static let exemption = "// not built:"

  var isExempt: Bool { code.hasPrefix(Self.exemption) }
  var testDescription: String { "\(file):\(line)" }

  var name: String { file.filter(\.isLetter) + "\(line)" }

  /// The code inside a separate type, so that it can be compiled together with others and does not
  /// see them.
  ///
  /// This does not work for all code: a type cannot contain an extension or a statement.
  var enclosed: String {
    var lines = code.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    let lastImport = lines.lastIndex { $0.contains(#/^(?:\w+ )?import /#) }
    lines[lastImport ?? 0] = lastImport.map { "\(lines[$0]); enum \(name) {" } ?? "enum \(name) { \(lines[0])"
    return lines.joined(separator: "\n") + "}\n"
  }

  static func all(in file: String) throws -> [Snippet] {
    let text = try Repository.text(of: file)
    let block = #/(?m)^(?<indent> *)```swift(?:[^\w\n].*)?\n(?<code>[\s\S]*?)^ *```$/#
    return text.matches(of: block).map { match in
      let lines = match.code.split(separator: "\n", omittingEmptySubsequences: false).map { line in
        String(line.dropFirst(min(match.indent.count, line.prefix { $0 == " " }.count)))
      }
      let before = text[..<match.code.startIndex].utf8.count { $0 == UInt8(ascii: "\n") }
      return Snippet(file: file, line: before + 1, code: lines.joined(separator: "\n"))
    }
  }
}
