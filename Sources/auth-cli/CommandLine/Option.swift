/// An option and the type that reading it gives.
///
/// Declared once as a constant; read as `words[Options.limit]`, so neither its name nor its type can be mistaken.
struct Option<Result: Sendable>: Sendable {
  let declaration: OptionDeclaration
  /// Makes the result of the words given for it, each already of the declared kind.
  ///
  /// Nil means that it was needed and not given.
  let read: @Sendable ([Word]) -> Result?
}

extension Option where Result == Bool {
  /// An option without a value.
  static func flag(_ long: String, short: Character? = nil, _ summary: String) -> Option {
    Option(declaration: OptionDeclaration(long: long, short: short, summary: summary)) { !$0.isEmpty }
  }
}

extension Option {
  /// An option that must be given.
  static func required(_ long: String, _ valueName: String, _ kind: ValueKind<Result>, _ summary: String) -> Option {
    let declaration = OptionDeclaration(
      long: long, summary: summary, value: .init(name: valueName, form: kind.form), isRequired: true)
    return Option(declaration: declaration) { $0.first.flatMap(kind.convert) }
  }

  /// An option that may be left out.
  ///
  /// `environment` is the variable that stands in when the option is not given; an empty one counts as unset.
  static func optional<Value>(
    _ long: String, _ valueName: String, _ kind: ValueKind<Value>, _ summary: String, environment: String? = nil
  ) -> Option where Result == Value? {
    let declaration = OptionDeclaration(
      long: long, summary: summary, value: .init(name: valueName, form: kind.form), environment: environment)
    return Option(declaration: declaration) { .some($0.first.flatMap(kind.convert)) }
  }

  /// An option with a value that holds when it is left out, and the text that shows that value.
  static func standard(
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
struct OptionDeclaration: Sendable {
  /// The value of an option, or of an argument.
  struct Value: Sendable {
    /// The name in capitals that usage lines show.
    let name: String
    let form: ValueForm
  }

  /// The long name, without its dashes.
  let long: String
  /// The one-letter name, without its dash.
  let short: Character?
  let summary: String
  /// Nil for a flag.
  let value: Value?
  let isRequired: Bool
  let environment: String?
  /// The text of the value that holds when the option is left out.
  let standardText: String?

  init(
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
  var flag: String { "--" + long }

  /// The long name with its value: `--to USER`.
  var usage: String { value.map { "\(flag) \($0.name)" } ?? flag }
}

/// An option of any type, where only its declaration matters.
protocol DeclaredOption: Sendable {
  var declaration: OptionDeclaration { get }
}

extension Option: DeclaredOption {}
