/// An option and the type that reading it gives.
///
/// Declared once as a constant; read as `words[Options.limit]`, so neither its name nor its type
/// can be mistaken.
package struct Option<Result: Sendable>: Sendable {
  package let declaration: OptionDeclaration
  /// Makes the result of the words given for it, each already of the declared kind.
  ///
  /// Nil means that it was needed and not given.
  package let read: @Sendable ([Word]) -> Result?
}

extension Option where Result == Bool {
  /// An option without a value.
  package static func flag(_ long: String, short: Character? = nil, _ summary: String) -> Option {
    Option(declaration: OptionDeclaration(long: long, short: short, summary: summary)) { !$0.isEmpty }
  }
}

extension Option {
  /// An option that must be given.
  package static func required(_ long: String, _ valueName: String, _ kind: ValueKind<Result>, _ summary: String)
    -> Option
  {
    let declaration = OptionDeclaration(
      long: long, summary: summary, value: .init(name: valueName, form: kind.form), isRequired: true)
    return Option(declaration: declaration) { $0.first.flatMap(kind.convert) }
  }

  /// An option that may be left out.
  ///
  /// `environment` is the variable that is read when the option is not given; an empty one counts
  /// as unset.
  package static func optional<Value>(
    _ long: String, _ valueName: String, _ kind: ValueKind<Value>, _ summary: String, environment: String? = nil
  ) -> Option where Result == Value? {
    let declaration = OptionDeclaration(
      long: long, summary: summary, value: .init(name: valueName, form: kind.form), environment: environment)
    return Option(declaration: declaration) { .some($0.first.flatMap(kind.convert)) }
  }

  /// An option with a value that holds when it is left out, and the text that shows that value.
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
    /// The name in capitals that usage lines show.
    package let name: String
    package let form: ValueForm
  }

  /// The long name, without its dashes.
  package let long: String
  /// The one-letter name, without its dash.
  package let short: Character?
  package let summary: String
  /// Nil for a flag.
  package let value: Value?
  package let isRequired: Bool
  package let environment: String?
  /// The text of the value that holds when the option is left out.
  package let standardText: String?

  package init(
    long: String, short: Character? = nil, summary: String, value: Value? = nil, isRequired: Bool = false,
    environment: String? = nil, standardText: String? = nil
  ) {
    self.long = long
    self.short = short
    self.summary = summary
    self.value = value
    self.isRequired = isRequired
    self.environment = environment
    self.standardText = standardText
  }

  /// The long name with its dashes.
  package var flag: String { "--" + long }

  /// The long name with its value: `--to USER`.
  package var usage: String { value.map { "\(flag) \($0.name)" } ?? flag }
}

/// An option of any type, where only its declaration matters.
package protocol DeclaredOption: Sendable {
  var declaration: OptionDeclaration { get }
}

extension Option: DeclaredOption {}
