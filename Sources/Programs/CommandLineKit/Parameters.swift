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
    let value = OptionDeclaration.Value(name: valueName, form: kind.form)
    return Option(declaration: .init(long: long, summary: summary, value: value, isRequired: true)) {
      $0.first.flatMap(kind.convert)
    }
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

  /// An option that may be given several times, with all its values.
  package static func repeated<Value>(
    _ long: String, _ valueName: String, _ kind: ValueKind<Value>, _ summary: String, isRequired: Bool = false
  ) -> Option where Result == [Value] {
    let value = OptionDeclaration.Value(name: valueName, form: kind.form)
    let declaration = OptionDeclaration(
      long: long, summary: summary, value: value, isRequired: isRequired, isRepeatable: true)
    return Option(declaration: declaration) { $0.compactMap(kind.convert) }
  }

  /// An option with a default value, and the text that shows the default.
  ///
  /// `environment` is as for an optional one.
  package static func standard(
    _ long: String, _ valueName: String, _ kind: ValueKind<Result>, _ summary: String, standard: Result,
    shownAs text: String, environment: String? = nil
  ) -> Option {
    let declaration = OptionDeclaration(
      long: long, summary: summary, value: .init(name: valueName, form: kind.form), environment: environment,
      standardText: text)
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
  package private(set) var isRepeatable = false
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

/// A positional argument and the type of its value.
package struct Argument<Result: Sendable>: Sendable {
  package let declaration: ArgumentDeclaration
  /// Converts the words for the argument, each already of the declared kind.
  ///
  /// Nil means that it was required and not given.
  let read: @Sendable ([Word]) -> Result?
}

extension Argument {
  package static func required(_ name: String, _ kind: ValueKind<Result>, _ summary: String) -> Argument {
    let declaration = ArgumentDeclaration(name: name, form: kind.form, summary: summary, arity: .one)
    return Argument(declaration: declaration) { $0.first.flatMap(kind.convert) }
  }

  /// An optional argument; `flag`, if there is one, requires it.
  package static func optional<Value>(
    _ name: String, _ kind: ValueKind<Value>, _ summary: String, neededBy flag: Option<Bool>? = nil
  ) -> Argument where Result == Value? {
    let declaration = ArgumentDeclaration(
      name: name, form: kind.form, summary: summary, arity: .atMostOne, neededBy: flag?.declaration)
    return Argument(declaration: declaration) { .some($0.first.flatMap(kind.convert)) }
  }

  /// All remaining words, of which there must be one.
  ///
  /// No argument can follow it.
  package static func atLeastOne<Value>(
    _ name: String, _ kind: ValueKind<Value>, _ summary: String
  ) -> Argument where Result == [Value] {
    let declaration = ArgumentDeclaration(name: name, form: kind.form, summary: summary, arity: .atLeastOne)
    return Argument(declaration: declaration) { $0.compactMap(kind.convert) }
  }

  /// All remaining words, possibly none.
  ///
  /// No argument can follow it. `isAfterDashes` is for those of another program, which `--` keeps
  /// apart from the options.
  package static func rest<Value>(
    _ name: String, _ kind: ValueKind<Value>, _ summary: String, isAfterDashes: Bool = false
  ) -> Argument where Result == [Value] {
    let declaration = ArgumentDeclaration(
      name: name, form: kind.form, summary: summary, arity: .any, isAfterDashes: isAfterDashes)
    return Argument(declaration: declaration) { $0.compactMap(kind.convert) }
  }
}

/// A positional argument as data.
package struct ArgumentDeclaration: Sendable {
  /// The number of words that an argument takes.
  package enum Arity: Hashable, Sendable {
    case one, atMostOne, atLeastOne, any

    /// Whether a word must be given.
    package var isRequired: Bool { self == .one || self == .atLeastOne }
    /// Whether it takes all remaining words.
    package var takesRest: Bool { self == .atLeastOne || self == .any }
  }

  /// The name in capitals, as usage lines show it.
  package let name: String
  package let form: ValueForm
  package let summary: String
  package let arity: Arity
  /// Whether `--` is written before it.
  package private(set) var isAfterDashes = false
  /// The flag that requires the argument.
  package private(set) var neededBy: OptionDeclaration?

  /// The argument as usage lines show it.
  package var usage: String {
    switch arity {
    case .one: name
    case .atMostOne: "[\(name)]"
    case .atLeastOne: "\(name)..."
    case .any: isAfterDashes ? "-- \(name)..." : "[\(name)...]"
    }
  }
}

/// An argument of any type, for code that needs only its declaration.
package protocol DeclaredArgument: Sendable {
  var declaration: ArgumentDeclaration { get }
}

extension Argument: DeclaredArgument {}

/// The words of one command line, sorted by option and argument, each of its declared kind, and
/// none missing that must be given.
package struct ParsedWords: Sendable {
  /// The source of a value.
  package enum Origin: Hashable, Sendable {
    case commandLine
    case environment(String)
    case notGiven

    /// The environment variable that has the value.
    package var variable: String? { if case .environment(let name) = self { name } else { nil } }
  }

  /// The words for one option or argument.
  struct Given: Hashable, Sendable {
    /// The long name of the option, or the name of the argument, which is in capitals.
    let name: String
    let words: [Word]
    var origin = Origin.commandLine
  }

  /// The program and the command, by their main names.
  package let path: [String]
  let given: [Given]

  /// The value of an option.
  package subscript<Result>(option: Option<Result>) -> Result {
    value(option.declaration.long, option.read)
  }

  /// The value of an argument.
  package subscript<Result>(argument: Argument<Result>) -> Result {
    value(argument.declaration.name, argument.read)
  }

  private func value<Result>(_ name: String, _ read: ([Word]) -> Result?) -> Result {
    guard let value = read(given.first { $0.name == name }?.words ?? []) else {
      preconditionFailure("the parser reports a missing \(name) of the command")
    }
    return value
  }

  /// The source of the value of an option.
  package func origin(of option: some DeclaredOption) -> Origin {
    given.first { $0.name == option.declaration.long }?.origin ?? .notGiven
  }
}
