/// The description of a program as a whole.
package struct About: Sendable {
  /// A heading with terms and their meanings: environment variables, files.
  package struct Glossary: Sendable {
    package let title: String
    /// The name of the topic in `help`.
    package let topic: String
    private let makeEntries: @Sendable () -> [(term: String, meaning: String)]

    /// The entries are created when they are shown: the error codes take longer than a short
    /// command.
    package init(
      title: String, topic: String, entries: @autoclosure @escaping @Sendable () -> [(term: String, meaning: String)]
    ) {
      self.title = title
      self.topic = topic
      makeEntries = entries
    }

    package var entries: [(term: String, meaning: String)] { makeEntries() }

    package init(title: String, topic: String, entries: KeyValuePairs<String, String>) {
      let entries = entries.map { (term: $0.key, meaning: $0.value) }
      self.init(title: title, topic: topic, entries: entries)
    }
  }

  package let version: String
  /// The date of the version as manual pages write it: "January 31, 2026".
  package let date: String
  package let summary: String
  /// Paragraphs that describe the program.
  package let discussion: [String]
  /// The first commands to type.
  package let firstSteps: [Example]
  /// Every exit status of the program.
  package let statuses: [(code: Int32, meaning: String)]
  package let glossaries: [Glossary]

  package init(
    version: String, date: String, summary: String, discussion: [String], firstSteps: KeyValuePairs<String, String>,
    statuses: [(code: Int32, meaning: String)], glossaries: [Glossary]
  ) {
    self.version = version
    self.date = date
    self.summary = summary
    self.discussion = discussion
    self.firstSteps = firstSteps.map { ($0.key, $0.value) }
    self.statuses = statuses
    self.glossaries = glossaries
  }
}

/// A command line to try, with its purpose: the words after the program's name as typed in a shell.
package typealias Example = (line: String, shows: String)
