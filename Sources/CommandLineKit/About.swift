/// The description of a program as a whole.
package struct About: Hashable, Sendable {
  /// A heading with terms and their meanings: environment variables, files.
  package struct Glossary: Hashable, Sendable {
    package struct Entry: Hashable, Sendable {
      package let term: String
      package let meaning: String

      package init(term: String, meaning: String) {
        self.term = term
        self.meaning = meaning
      }
    }
    package let title: String
    /// The name of the topic in `help`.
    package let topic: String
    package let entries: [Entry]

    package init(title: String, topic: String, entries: [Entry]) {
      self.title = title
      self.topic = topic
      self.entries = entries
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
  package let statuses: [StatusDeclaration]
  package let glossaries: [Glossary]

  package init(
    version: String, date: String, summary: String, discussion: [String], firstSteps: [Example],
    statuses: [StatusDeclaration], glossaries: [Glossary]
  ) {
    self.version = version
    self.date = date
    self.summary = summary
    self.discussion = discussion
    self.firstSteps = firstSteps
    self.statuses = statuses
    self.glossaries = glossaries
  }
}
