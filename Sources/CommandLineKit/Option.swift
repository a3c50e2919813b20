/// An option and the type of its value.
///
/// It is declared once as a constant and read as `words[Options.limit]`, so the compiler checks its
/// name and type.
package struct Option<Result: Sendable>: Sendable {
  package let declaration: OptionDeclaration
  /// Converts the words for the option, each already of the declared kind.
  ///
  /// Nil means that it was required and not given.
  let read: @Sendable ([Word]) -> Result?
}

extension Option where Result == Bool {
  /// An option without a value.
  package static func flag(_ long: String, short: Character? = nil, _ summary: String) -> Option {
    Option(declaration: OptionDeclaration(long: long, short: short, summary: summary)) { !$0.isEmpty }
  }
}

extension Option {
  package static func required(_ long: String, _ valueName: String, _ kind: ValueKind<Result>, _ summary: String)
    -> Option
  {
    let declaration = OptionDeclaration(
      long: long, summary: summary, value: .init(name: valueName, form: kind.form), isRequired: true)
    return Option(declaration: declaration) { $0.first.flatMap(kind.convert) }
  }

  /// An optional option.
  ///
  /// `environment` is the variable to read when the option is not given; an empty variable counts
  /// as unset.
  package static func optional<Value>(
    _ long: String, _ valueName: String, _ kind: ValueKind<Value>, _ summary: String, environment: String? = nil
  ) -> Option where Result == Value? {
    let declaration = OptionDeclaration(
      long: long, summary: summary, value: .init(name: valueName, form: kind.form), environment: environment)
    return Option(declaration: declaration) { .some($0.first.flatMap(kind.convert)) }
  }

  /// An option with a default value, and the text that shows the default.
  package static func standard(
    _ long: String, _ valueName: String, _ kind: ValueKind<Result>, _ summary: String, standard: Result,
    shownAs text: String
  ) -> Option {
    let declaration = OptionDeclaration(
      long: long, summary: summary, value: .init(name: valueName, form: kind.form), standardText: text)
    return Option(declaration: declaration) { words in
      words.isEmpty ? standard : words.first.flatMap(kind.convert)
    }
  }
}

/// An option as data, for the parser, help, the man page and completions.
package struct OptionDeclaration: Sendable {
  /// The value of an option, or of an argument.
  package struct Value: Sendable {
    /// The name in capitals, as usage lines show it.
    package let name: String
    package let form: ValueForm
  }

  /// The long name, without its dashes.
  package let long: String
  /// The one-letter name, without its dash.
  package private(set) var short: Character?
  package let summary: String
  /// Nil for a flag.
  package private(set) var value: Value?
  package private(set) var isRequired = false
  package private(set) var environment: String?
  /// The text of the default value.
  package private(set) var standardText: String?

  /// The long name with its dashes.
  package var flag: String { "--" + long }

  /// The names with their dashes.
  package var spellings: [String] { [flag] + (short.map { ["-\($0)"] } ?? []) }

  /// The long name with its value: `--to USER`.
  package var usage: String { value.map { "\(flag) \($0.name)" } ?? flag }
}

/// An option of any type, for code that needs only its declaration.
package protocol DeclaredOption: Sendable {
  var declaration: OptionDeclaration { get }
}

extension Option: DeclaredOption {}
