/// The text of one Swift file, taken apart as far as a dependency test needs.
struct SourceFile {
  let path: String
  /// The lines without comments.
  let code: [String]

  init(path: String, text: String) {
    self.path = path
    // Bytes: characters of a string are slow in a debug build, and this reads every source.
    var kept: [UInt8] = []
    var rest = Array(text.utf8)[...]
    while let first = rest.popFirst() {
      let pair = (first, rest.first)
      if pair == (UInt8(ascii: "/"), UInt8(ascii: "*")) {
        rest = rest.dropFirst()
        while let byte = rest.popFirst(), byte != UInt8(ascii: "*") || rest.first != UInt8(ascii: "/") {}
        rest = rest.dropFirst()
      } else if pair == (UInt8(ascii: "/"), UInt8(ascii: "/")) {
        rest = rest.drop { $0 != UInt8(ascii: "\n") }
      } else {
        kept.append(first)
      }
    }
    code = kept.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map {
      String(decoding: $0, as: UTF8.self)
    }
  }

  static func all(below directory: String) throws -> [SourceFile] {
    try Repository.files(below: directory, suffix: ".swift").map {
      SourceFile(path: $0, text: try Repository.text(of: $0))
    }
  }

  /// The modules that the file imports, under any access level or attribute, whole or in part.
  var imports: [String] {
    code.filter { $0.utf8.contains(UInt8(ascii: "i")) && $0.contains("import") }.flatMap { $0.split(separator: ";") }
      .compactMap { statement in
        let form =
          #/^\s*(?:(?:@\w+(?:\([^)]*\))?|public|package|internal|fileprivate|private)\s+)*import\s+(?<what>.+?)\s*$/#
        guard let what = statement.wholeMatch(of: form)?.what else { return nil }
        let kinds = ["typealias", "struct", "class", "enum", "protocol", "let", "var", "func"]
        let path = what.split(separator: " ").first { !kinds.contains(String($0)) } ?? what
        return path.split(separator: ".").first.map(String.init)
      }
  }

  /// The types, protocols and aliases at the top level that other modules see.
  var exportedTypes: [String] {
    code.filter { $0.utf8.first.map("@po".utf8.contains) ?? false }.compactMap { line in
      let form =
        #/^(?:@\w+(?:\([^)]*\))?\s+)*(?:public|package|open)\s+(?:(?:final|indirect|nonisolated)\s+)*(?:struct|class|enum|actor|protocol|typealias)\s+(?<name>\w+).*$/#
      return line.wholeMatch(of: form).map { String($0.name) }
    }
  }

  /// Every identifier in the code, words in string literals included.
  var words: Set<String> {
    let letters = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_".utf8)
    let others = Set("0123456789".utf8)
    return Set(
      code.flatMap { line in
        line.utf8.split { !letters.contains($0) && !others.contains($0) }
          .filter { letters.contains($0.first ?? 0) }.compactMap { String($0) }
      })
  }
}
