/// What a command has to say, in both forms; ``Program`` prints the one that was asked for.
struct Answer: Sendable {
  /// How the run ends.
  var status = ExitStatus.done
  /// The result for people, a line each, escaped.
  var lines: [String] = []
  /// The result for programs: the members after `version`.
  var document: [JSON.Member] = []
  /// What people may want to know or do next, for standard error.
  ///
  /// Programs find the same in the document, if it concerns them.
  var notes: [String] = []
  /// What stays true if the result cannot be printed, such as a payment that was made.
  var evenIfUnprinted: String?

  init(
    status: ExitStatus = .done, lines: [String] = [], _ document: KeyValuePairs<String, JSON> = [:],
    notes: [String] = []
  ) {
    self.status = status
    self.lines = lines
    self.document = document.map { JSON.Member(name: $0.key, value: $0.value) }
    self.notes = notes
  }
}
