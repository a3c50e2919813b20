/// What is to say about a program as a whole.
struct About: Hashable, Sendable {
  /// A heading with terms and what they mean: environment variables, files.
  struct Glossary: Hashable, Sendable {
    struct Entry: Hashable, Sendable {
      let term: String
      let meaning: String
    }
    let title: String
    /// What 'help' calls it.
    let topic: String
    let entries: [Entry]
  }

  let version: String
  /// The date of the version as manual pages write it: "January 31, 2026".
  let date: String
  let summary: String
  /// Paragraphs that say what it is.
  let discussion: [String]
  /// What to type first.
  let firstSteps: [Example]
  let statuses: [StatusDeclaration]
  let glossaries: [Glossary]
}
