/// The accepted form of a word, and its conversion to a value.
package struct ValueKind<Value: Sendable>: Sendable {
  /// The kind as data, for messages, help and completions.
  package let form: ValueForm
  /// Converts a word; returns nil if the word is not of this kind.
  package let convert: @Sendable (Word) -> Value?

  /// Describes a kind.
  ///
  /// - Parameters:
  ///   - noun: The expected value, with its article: "an amount".
  ///   - accepted: The accepted form, for the end of a hint.
  ///   - candidates: The values that a shell may suggest, and that help lists.
  ///   - examples: Other values that a shell may suggest.
  ///   - offersTopics: Whether a shell may also suggest the topics of help, such as commands.
  ///   - offersFiles: Whether a shell may suggest its files, and nothing else.
  ///   - listedBy: The words of a command of the program that prints the values that a shell may
  ///     suggest, one per line.
  ///   - isRepeated: Whether a message may repeat a word that is not of this kind; false where
  ///     people may type a secret by mistake.
  ///   - convert: Returns the value, or nil if the word is not of this kind.
  package init(
    _ noun: String, accepted: String, candidates: [Suggestion] = [], examples: [Suggestion] = [],
    offersTopics: Bool = false, offersFiles: Bool = false, listedBy: String? = nil, isRepeated: Bool = true,
    convert: @escaping @Sendable (Word) -> Value?
  ) {
    form = ValueForm(
      noun: noun, accepted: accepted, candidates: candidates, examples: examples, offersTopics: offersTopics,
      offersFiles: offersFiles, listedBy: listedBy, isRepeated: isRepeated
    ) {
      convert($0) != nil
    }
    self.convert = convert
  }
}

/// The description of a kind of value, without its type.
package struct ValueForm: Sendable {
  package let noun: String
  /// The accepted form, for the end of a hint.
  package let accepted: String
  /// The values that a shell may suggest, and that help lists.
  package let candidates: [Suggestion]
  /// Other values that a shell may suggest.
  package let examples: [Suggestion]
  package let offersTopics: Bool
  /// Whether a shell may suggest its files, and nothing else.
  package let offersFiles: Bool
  /// The words of a command of the program that prints the values that a shell may suggest, one per
  /// line.
  package let listedBy: String?
  /// Whether a message may repeat a word that is not of this kind.
  package let isRepeated: Bool
  package let accepts: @Sendable (Word) -> Bool
}

/// A word that a shell may suggest, with its meaning.
package typealias Suggestion = (value: String, summary: String)
