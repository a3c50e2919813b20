/// What a word may be, and what it becomes.
package struct ValueKind<Value: Sendable>: Sendable {
  /// The kind as data, for messages, help and completions.
  package let form: ValueForm
  /// The value, or nil when the word is not of this kind.
  package let convert: @Sendable (Word) -> Value?

  /// Describes a kind.
  ///
  /// - Parameters:
  ///   - noun: What the word should be, with its article: "an amount".
  ///   - accepted: The accepted form, as the end of a sentence that says what to write.
  ///   - candidates: What a shell may offer.
  ///   - offersCommands: Whether a shell may offer the program's commands besides.
  ///   - listedBy: The words of a command of the program that prints what a shell may offer, a line
  ///     each.
  ///   - convert: Gives the value, or nil when the word is not of this kind.
  package init(
    _ noun: String, accepted: @autoclosure @escaping @Sendable () -> String, candidates: [ValueForm.Candidate] = [],
    offersCommands: Bool = false, listedBy: String? = nil,
    convert: @escaping @Sendable (Word) -> Value?
  ) {
    form = ValueForm(
      noun: noun, makeAccepted: accepted, candidates: candidates, offersCommands: offersCommands, listedBy: listedBy
    ) {
      convert($0) != nil
    }
    self.convert = convert
  }
}

/// A kind of value without its type.
package struct ValueForm: Sendable {
  /// A value that a shell may offer.
  package struct Candidate: Hashable, Sendable {
    package let value: String
    package let summary: String

    package init(value: String, summary: String) {
      self.value = value
      self.summary = summary
    }
  }

  package let noun: String
  fileprivate let makeAccepted: @Sendable () -> String
  package let candidates: [Candidate]
  package let offersCommands: Bool
  /// The words of a command that prints what a shell may offer, a line each.
  package let listedBy: String?
  /// The accepted form, as the end of a sentence that says what to write.
  ///
  /// Only refusals have a use for it.
  package var accepted: String { makeAccepted() }
  /// Whether a word is of this kind.
  package let accepts: @Sendable (Word) -> Bool
}
