import AuthMessages
import CommandLineKit
import TextFormat

/// What a command has to say, in both forms; ``Program`` prints the one that was asked for.
struct Answer {
  /// What the command did, apart from what it says.
  ///
  /// No answer is made without it, so that no command can forget to say of a change that it was
  /// made.
  enum Effect {
    /// The command only shows something; run again, it shows it again.
    case onlyShows
    /// The command changed something, which stays true when its result cannot be printed.
    ///
    /// `what` is a clause; `hint` says what to make of it.
    case changed(_ what: String, hint: Hint)
  }

  let effect: Effect
  /// How the run ends.
  let status: ExitStatus
  /// The result for people, a line each, escaped.
  let lines: [String]
  /// What people may want to know or do next, for standard error.
  ///
  /// Programs find the same in the document, if it concerns them.
  let notes: [Hint]
  private let makeDocument: () -> KeyValuePairs<String, JSON>

  /// `document` is made only if it is printed: for a short run it would be much of the work.
  init(
    _ effect: Effect, status: ExitStatus = .done, lines: [String] = [],
    _ document: @autoclosure @escaping () -> KeyValuePairs<String, JSON> = [:], notes: [Hint] = []
  ) {
    self.effect = effect
    self.status = status
    self.lines = lines
    self.notes = notes
    makeDocument = document
  }

  /// The result for programs: the members after `version`.
  var document: [JSON.Member] { makeDocument().map { JSON.Member(name: $0.key, value: $0.value) } }
}

extension CommandError {
  /// The output failed after a command did its work; a change that was made comes first.
  init(_ failure: OutputError, after effect: Answer.Effect) {
    switch effect {
    case .onlyShows: self.init(failure)
    case .changed(let what, let hint):
      self.init(code: .outputFailed, saying: "\(what); \(failure.message)", hint: hint)
    }
  }
}

/// What comes of `body`, to be looked at later.
func outcome<Value, Failure: Error>(
  of body: () async throws(Failure) -> Value
) async -> Result<Value, Failure> {
  do throws(Failure) { return .success(try await body()) } catch { return .failure(error) }
}
