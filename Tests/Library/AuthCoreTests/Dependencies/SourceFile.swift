import Foundation

/// The text of one Swift file, parsed as far as a dependency test needs.
struct SourceFile {
  let path: String
  /// The lines without comments.
  let code: [String]

  init(path: String, text: String) {
    self.path = path
    // Uses Foundation's search, because loops over characters are slow in a debug build, and this
    // reads every source.
    let comments = #"/\*[\s\S]*?\*/|//[^\n]*"#
    code = text.replacingOccurrences(of: comments, with: "", options: .regularExpression)
      .components(separatedBy: "\n")
  }

  private static let sources = Result {
    try Repository.files(below: "Sources", suffix: ".swift").map {
      SourceFile(path: $0, text: try Repository.text(of: $0))
    }
  }

  /// The files below a directory of the sources.
  static func all(below directory: String) throws -> [SourceFile] {
    try sources.get().filter { $0.path.hasPrefix(directory + "/") }
  }

  /// The modules that the file imports, with any access level or attribute, as a whole or in part.
  var imports: [String] {
    code.filter { $0.range(of: "import") != nil }.flatMap { $0.split(separator: ";") }.compactMap { statement in
      let form =
        #/
        \s* (?: (?: @\w+ (?:\([^)]*\))? | public | package | internal | fileprivate | private ) \s* )*
        import \s+ (?: (?: typealias | struct | class | enum | protocol | let | var | func ) \s+ )? (\w+)
        /#
      return statement.prefixMatch(of: form).map { String($0.1) }
    }
  }

  /// The types of the file, each with the protocols in its declaration or an extension.
  var conformances: [(type: String, protocols: Set<String>)] {
    get throws {
      let text = code.joined(separator: "\n") as NSString
      let form = try NSRegularExpression(
        pattern: #"\b(?:class|struct|enum|actor|extension)\s+([\w.]+)(?:<[^{}>]*>)?\s*:([^{}]*)\{"#)
      return form.matches(in: text as String, range: NSRange(location: 0, length: text.length)).map { match in
        let names = text.substring(with: match.range(at: 2)).components(separatedBy: Self.separators)
        return (text.substring(with: match.range(at: 1)), Set(names))
      }
    }
  }

  private static let separators = CharacterSet(charactersIn: " ,&\n")

  /// Every identifier in the code, including words in string literals.
  var words: Set<String> {
    let letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_"
    let others = CharacterSet(charactersIn: letters + "0123456789").inverted
    return Set(code.joined(separator: "\n").components(separatedBy: others))
  }
}
