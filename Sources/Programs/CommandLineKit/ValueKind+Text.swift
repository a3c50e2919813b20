import TextFormat

extension ValueKind where Value == String {
  /// Printable UTF-8 text that is not empty.
  package static func text(_ noun: String, maximumBytes: Int) -> ValueKind {
    ValueKind(noun, accepted: "1 to \(maximumBytes) bytes of UTF-8 text without control characters") { word in
      guard let text = word.text, (1...maximumBytes).contains(word.bytes.count) else { return nil }
      return text.unicodeScalars.contains(where: \.isUnprintable) ? nil : text
    }
  }

  /// A command or subcommand of the program, or another topic that has help.
  package static func helpTopic(_ noun: String) -> ValueKind {
    let text = ValueKind.text(noun, maximumBytes: 64)
    return ValueKind(noun, accepted: text.form.accepted, offersTopics: true, convert: text.convert)
  }

  /// A word of ASCII letters, digits, `.`, `_` and `-` that does not begin with a dot: never a
  /// path, never hidden.
  package static func identifier(_ noun: String, maximumBytes: Int = 64, listedBy: String? = nil) -> ValueKind {
    ValueKind(
      noun, accepted: "1 to \(maximumBytes) of the characters A-Z a-z 0-9 . _ -, not beginning with a dot",
      listedBy: listedBy
    ) { word in
      guard (1...maximumBytes).contains(word.bytes.count), word.bytes.first != UInt8(ascii: ".") else { return nil }
      return word.bytes.allSatisfy { $0.isASCIIAlphanumeric || "._-".utf8.contains($0) } ? word.text : nil
    }
  }
}

/// A value that is one of a few named values.
package protocol Choice: CaseIterable, RawRepresentable<String>, Sendable {
  /// The meaning of the choice, for help and completions.
  var summary: String { get }
}

extension ValueKind where Value: Choice {
  /// One of the cases of `Value`, by its exact name.
  package static func choice(_ noun: String) -> ValueKind {
    ValueKind(
      noun, accepted: Value.allCases.map(\.rawValue).formattedAsChoice(),
      candidates: Value.allCases.map { ($0.rawValue, $0.summary) }
    ) { word in
      word.text.flatMap(Value.init(rawValue:))
    }
  }
}

extension [String] {
  /// The words with commas and a final "or".
  package func formattedAsChoice() -> String {
    guard count > 1, let last else { return first ?? "" }
    return dropLast().joined(separator: ", ") + " or " + last
  }
}
