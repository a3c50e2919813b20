/// Turns words into a request, without any effect.
///
/// The phases are: help and version; the command; its options, so that a wrong name is reported before anything that is
/// missing; the form of every value; and at last what is missing.
struct Parser<Request: Sendable>: Sendable {
  /// What a line asks for.
  enum Meaning: Sendable {
    /// Run this. The words are there for the global options.
    case request(Request, ParsedWords)
    /// Show help for these commands and subcommands; for the program when empty.
    case help([String])
    case version
  }

  let tool: Tool<Request>
  private let lexer: Lexer

  init(_ tool: Tool<Request>) {
    self.tool = tool
    lexer = Lexer(tool.allGlobalOptions + tool.locations.flatMap(\.command.options))
  }

  /// Understands the words after the program's name.
  ///
  /// `environment` looks a variable up; it is asked only for those that options declare.
  func parse(_ words: [Word], environment: (String) -> Word? = { _ in nil }) throws(UsageError) -> Meaning {
    let tokens = lexer.tokens(words)
    let beforeTerminator = words.prefix { $0 != "--" }
    if beforeTerminator.contains("--help") || beforeTerminator.contains("-h") { return .help(helpTopic(tokens)) }
    if beforeTerminator.contains("--version") { return .version }
    var resolution = try resolve(tokens)
    guard let command = resolution.command else {
      try check(tokens, against: tool.allGlobalOptions, path: [tool.name])
      return .help([])
    }
    let path = [tool.name] + resolution.path
    let declared = command.options + tool.allGlobalOptions
    try check(tokens, against: declared, path: path, argument: command.arguments.first)
    guard let request = command.request else {
      throw UsageError(problem: .missingSubcommand(command.subcommands.map(\.name)), path: path)
    }
    let arguments = try assign(&resolution.rest, to: command.arguments, path: path)
    let (options, origins) = try collect(tokens, declared: declared, path: path, environment: environment)
    let parsed = ParsedWords(path: path, options: options, arguments: arguments, fromEnvironment: origins)
    return .request(try request(parsed), parsed)
  }

  /// Whether a flag stands in the line, even if the line as a whole is not understood.
  ///
  /// It decides the form of the refusal.
  func mentions(_ flag: Option<Bool>, in words: [Word]) -> Bool {
    lexer.tokens(words).contains(.option(flag.declaration.long, value: nil))
  }

  // MARK: The command

  private struct Resolution {
    var command: Command<Request>?
    var path: [String] = []
    var rest: [Word] = []
  }

  private func resolve(_ tokens: [Lexer.Token]) throws(UsageError) -> Resolution {
    var found = Resolution()
    for case .plain(let word, let literal) in tokens {
      let choices = found.command?.subcommands ?? (found.path.isEmpty ? tool.commands : [])
      if !literal, found.rest.isEmpty, let next = choices.first(where: { command in command.isCalled(word) }) {
        found.command = next
        found.path.append(next.name)
        continue
      }
      let path = [tool.name] + found.path
      guard let command = found.command else {
        guard !literal else { throw UsageError(problem: .missingCommand, path: path) }
        throw unknownCommand(word, among: choices, path: path)
      }
      if command.arguments.isEmpty, !choices.isEmpty {
        throw unknownCommand(word, among: choices, path: path)
      }
      found.rest.append(word)
    }
    return found
  }

  private func unknownCommand(_ word: Word, among choices: [Command<Request>], path: [String]) -> UsageError {
    UsageError(
      problem: .unknownCommand(word, nearest: NearestName.find(word, among: choices.flatMap(\.names))), path: path)
  }

  /// The commands that the line names, as far as they exist: a request for help is never refused.
  private func helpTopic(_ tokens: [Lexer.Token]) -> [String] {
    var choices = tool.commands
    var path: [String] = []
    for case .plain(let word, literal: false) in tokens {
      guard let next = choices.first(where: { command in command.isCalled(word) }) else { break }
      path.append(next.name)
      choices = next.subcommands
    }
    return path
  }

  // MARK: The options and arguments

  /// Looks at names only: a wrong name is the likelier cause of whatever else is wrong.
  private func check(
    _ tokens: [Lexer.Token], against declared: [OptionDeclaration], path: [String], argument: ArgumentDeclaration? = nil
  ) throws(UsageError) {
    func refuse(_ problem: UsageError.Problem) -> UsageError { UsageError(problem: problem, path: path) }
    for token in tokens {
      switch token {
      case .unknownOption(let word):
        throw refuse(.unknownOption(word, nearest: NearestName.find(word, among: declared.map(\.flag))))
      case .signedNumber(let word):
        throw refuse(.signedNumber(word, argument: argument?.name, accepted: argument?.form.accepted))
      case .option(let name, _) where !declared.contains { $0.long == name }:
        throw refuse(.misplacedOption("--" + name, belongsTo: owners(of: name)))
      case .lacksValue(let flag, _) where !declared.contains { $0.flag == flag },
        .unexpectedValue(let flag, _) where !declared.contains { $0.flag == flag }:
        throw refuse(.misplacedOption(flag, belongsTo: owners(of: String(flag.dropFirst(2)))))
      case .option, .lacksValue, .unexpectedValue, .plain:
        continue
      }
    }
    var seen: Set<String> = []
    for token in tokens {
      switch token {
      case .lacksValue(let flag, let saw):
        let name = declared.first { $0.flag == flag }?.value?.name ?? "VALUE"
        throw refuse(.missingValue(flag, valueName: name, saw: saw))
      case .unexpectedValue(let flag, let word):
        throw refuse(.unexpectedValue(flag, word))
      case .option(let name, _):
        let isRepeatable = declared.contains { $0.long == name && $0.isRepeatable }
        guard seen.insert(name).inserted || isRepeatable else { throw refuse(.repeatedOption("--" + name)) }
      case .unknownOption, .signedNumber, .plain:
        continue
      }
    }
  }

  private func owners(of option: String) -> [String] {
    tool.locations.filter { $0.command.options.contains { $0.long == option } }.map { $0.path.joined(separator: " ") }
  }

  private func assign(
    _ words: inout [Word], to declared: [ArgumentDeclaration], path: [String]
  ) throws(UsageError) -> [String: [Word]] {
    var result: [String: [Word]] = [:]
    var rest = words[...]
    for argument in declared {
      let taken = argument.arity == .any ? rest : rest.prefix(1)
      rest = rest.dropFirst(taken.count)
      result[argument.name] = Array(taken)
    }
    if let extra = rest.first { throw UsageError(problem: .extraArgument(extra), path: path) }
    for argument in declared {
      for word in result[argument.name] ?? [] {
        try require(word, toBe: argument.form, at: argument.name, path: path)
      }
    }
    return result
  }

  private func collect(
    _ tokens: [Lexer.Token], declared: [OptionDeclaration], path: [String], environment: (String) -> Word?
  ) throws(UsageError) -> (options: [String: [Word]], origins: [String: String]) {
    var options: [String: [Word]] = [:]
    var origins: [String: String] = [:]
    for case .option(let name, let value) in tokens {
      options[name, default: []].append(value ?? "")
    }
    for option in declared {
      guard let value = option.value else { continue }
      var place = option.flag
      if options[option.long] == nil, let variable = option.environment, let word = environment(variable),
        !word.bytes.isEmpty
      {
        options[option.long] = [word]
        origins[option.long] = variable
        place = variable
      }
      for word in options[option.long] ?? [] {
        try require(word, toBe: value.form, at: place, path: path)
      }
    }
    return (options, origins)
  }

  private func require(
    _ word: Word, toBe form: ValueForm, at place: String, path: [String]
  ) throws(UsageError) {
    guard !form.accepts(word) else { return }
    throw UsageError(
      problem: .malformedValue(word, place: place, noun: form.noun, accepted: form.accepted), path: path)
  }
}

extension Command {
  /// Whether `word` is the name or an alias, exactly: no abbreviation, no other case.
  func isCalled(_ word: Word) -> Bool {
    names.contains { Word($0) == word }
  }
}
