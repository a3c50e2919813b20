import CommandLineKit

/// What a command has to say, in both forms; ``Program`` prints the one that was asked for.
struct Answer {
  /// How the run ends.
  let status: ExitStatus
  /// The result for people, a line each, escaped.
  let lines: [String]
  /// What people may want to know or do next, for standard error.
  ///
  /// Programs find the same in the document, if it concerns them.
  let notes: [String]
  /// What stays true if the result cannot be printed.
  let evenIfUnprinted: Deed?
  private let makeDocument: () -> KeyValuePairs<String, JSON>

  /// `document` is made only if it is printed: for a short run it would be much of the work.
  init(
    status: ExitStatus = .done, lines: [String] = [],
    _ document: @autoclosure @escaping () -> KeyValuePairs<String, JSON> = [:], notes: [String] = [],
    evenIfUnprinted: Deed? = nil
  ) {
    self.status = status
    self.lines = lines
    self.notes = notes
    self.evenIfUnprinted = evenIfUnprinted
    makeDocument = document
  }

  /// What was done, such as a payment, which must not be mistaken for nothing.
  struct Deed {
    /// What was done, as a clause.
    let message: String
    /// What to make of it.
    let hint: String

    init(_ message: String, hint: String) {
      self.message = message
      self.hint = hint
    }
  }

  /// The result for programs: the members after `version`.
  var document: [JSON.Member] { makeDocument().map { JSON.Member(name: $0.key, value: $0.value) } }
}
