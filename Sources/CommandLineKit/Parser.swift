/// Parses words into a request, without side effects.
///
/// The phases are: help and version; the command; its options, so that a wrong name is reported
/// before missing values; the form of every value; and finally missing values.
package struct Parser<Request: Sendable>: Sendable {
  package enum ParseResult: Sendable {
    /// Run this request; the words contain the global options.
    case request(Request, ParsedWords)
    /// Show help for these commands and subcommands; for the program when empty.
    case help([String])
    case version
  }

  package let tool: Tool<Request>

  package init(_ tool: Tool<Request>) {
    self.tool = tool
  }

  /// A lexer with the options of all commands, which few lines need.
  private var thoroughLexer: Lexer {
    Lexer(declarations: tool.allGlobalOptions + tool.locations.flatMap(\.command.options))
  }

  /// Parses the words after the program's name.
  ///
  /// `environment` looks up a variable. It is called only for variables that options declare, and
  /// never for a command that ignores the environment.
  package func parse(_ words: [Word], environment: (String) -> Word? = { _ in nil }) throws(UsageError) -> ParseResult {
    let beforeTerminator = words.prefix { !$0.isSpelled("--") }
    if beforeTerminator.contains(where: { $0.isSpelled("--help") || $0.isSpelled("-h") }) {
      let plain = thoroughLexer.tokens(words).compactMap { token -> Word? in
        if case .plain(let word, literal: false) = token { word } else { nil }
      }
      // The valid commands in the line: a request for help never fails.
      return .help(tool.find(plain).location?.path ?? [])
    }
    if beforeTerminator.contains(where: { $0.isSpelled("--version") }) { return .version }
    let tokens = tokens(words)
    let found = try resolve(tokens)
    guard let command = found.command else {
      try check(tokens, against: tool.allGlobalOptions, path: [tool.name])
      return .help([])
    }
    let path = [tool.name] + found.path
    let (ownArguments, ownOptions) = (command.arguments, command.options)
    let declared = ownOptions + tool.allGlobalOptions
    try check(tokens, against: declared, path: path, argument: ownArguments.first)
    guard let request = command.request else {
      throw UsageError(problem: .missingSubcommand(command.subcommands.map(\.name)), path: path)
    }
    let arguments = try assign(found.rest, to: ownArguments, path: path) { word in
      Self.option(of: ownOptions, taking: word, besides: ownArguments, in: tokens)
    }
    let options = try collect(
      tokens, declared: declared, path: path, environment: command.heedsEnvironment ? environment : { _ in nil })
    for (argument, given) in zip(ownArguments, arguments) where given.words.isEmpty {
      let flag = argument.neededBy.flatMap { flag in options.contains { $0.name == flag.long } ? flag.flag : nil }
      guard argument.arity == .one || flag != nil else { continue }
      throw UsageError(problem: .missingArgument(argument.name, because: flag), path: path)
    }
    for option in declared where option.isRequired && !options.contains(where: { $0.name == option.long }) {
      throw UsageError(problem: .missingOption(option.usage), path: path)
    }
    let parsed = ParsedWords(path: path, options: options, arguments: arguments)
    return .request(try request(parsed), parsed)
  }

  /// Whether a flag is in the line, even if the line as a whole is invalid.
  ///
  /// It determines the format of the error.
  package func mentions(_ flag: Option<Bool>, in words: [Word]) -> Bool {
    let option = flag.declaration
    // Search the words first, because sorting them needs the options of all commands, and few lines
    // have the flag.
    return words.contains { $0.isSpelled(option.flag) }
      && thoroughLexer.tokens(words).contains {
        if case .option(option.long, .given) = $0 { true } else { false }
      }
  }

  // MARK: The words

  /// The tokens, usually with the options of only one command.
  private func tokens(_ words: [Word]) -> [Lexer.Token] {
    var lexer = Lexer(declarations: tool.allGlobalOptions)
    let firstTry = lexer.tokens(words)
    for case .plain(let word, literal: false) in firstTry {
      guard let command = tool.command(called: word) else { break }
      var declared = command.options
      for subcommand in command.subcommands { declared += subcommand.options }
      lexer = Lexer(declarations: declared + tool.allGlobalOptions)
      break
    }
    let tokens = lexer.tokens(words)
    let isSure = !tokens.contains {
      if case .unknownOption = $0 { true } else { false }
    }
    return isSure ? tokens : thoroughLexer.tokens(words)
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
      if !literal, found.rest.isEmpty, let next = self.next(word, after: found.command) {
        found.command = next
        found.path.append(next.name)
        continue
      }
      let path = [tool.name] + found.path
      guard let command = found.command else {
        guard !literal else { throw UsageError(problem: .missingCommand, path: path) }
        throw unknownCommand(word, among: tool.commands, path: path)
      }
      if command.arguments.isEmpty, !command.subcommands.isEmpty {
        throw unknownCommand(word, among: command.subcommands, path: path)
      }
      found.rest.append(word)
    }
    return found
  }

  private func next(_ word: Word, after command: Command<Request>?) -> Command<Request>? {
    guard let command else { return tool.command(called: word) }
    for subcommand in command.subcommands where subcommand.isCalled(word) { return subcommand }
    return nil
  }

  private func unknownCommand(_ word: Word, among choices: [Command<Request>], path: [String]) -> UsageError {
    let sought = choices.first { $0.soughtAs.contains(where: word.isSpelled) }
    return UsageError(
      problem: .unknownCommand(word, nearest: sought?.name ?? NearestName.find(word, among: choices.flatMap(\.names))),
      path: path)
  }

  // MARK: The options and arguments

  /// Checks only names, because a wrong name is the likely cause of other problems.
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
      case .option, .plain: continue
      }
    }
    var seen: [String] = []
    for case .option(let name, let value) in tokens {
      let flag = "--" + name
      switch value {
      case .missing(let saw):
        let valueName = declared.first { $0.long == name }?.value?.name ?? "VALUE"
        throw refuse(.missingValue(flag, valueName: valueName, saw: saw))
      case .unexpected(let word): throw refuse(.unexpectedValue(flag, word))
      case .given:
        guard !seen.contains(name) else { throw refuse(.repeatedOption(flag)) }
        seen.append(name)
      }
    }
  }

  private func owners(of option: String) -> [String] {
    tool.locations.filter { $0.command.options.contains { $0.long == option } }.map { $0.path.joined(separator: " ") }
  }

  private func assign(
    _ words: [Word], to declared: [ArgumentDeclaration], path: [String], option: (Word) -> String?
  ) throws(UsageError) -> [ParsedWords.Given] {
    var rest = words[...]
    let given = declared.map { argument in
      let taken = argument.arity == .any ? rest : rest.prefix(1)
      rest = rest.dropFirst(taken.count)
      return ParsedWords.Given(name: argument.name, words: Array(taken))
    }
    if let extra = rest.first { throw UsageError(problem: .extraArgument(extra, nearest: option(extra)), path: path) }
    for (argument, given) in zip(declared, given) {
      for word in given.words { try require(word, toBe: argument.form, at: argument.name, path: path) }
    }
    return given
  }

  /// The option that probably belongs to an extra word, with that word as its value.
  ///
  /// It is a missing required option that accepts the word. A word that the command's arguments
  /// accept is more likely an extra argument.
  private static func option(
    of options: [OptionDeclaration], taking word: Word, besides arguments: [ArgumentDeclaration],
    in tokens: [Lexer.Token]
  ) -> String? {
    guard let text = word.text, text.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || ".-_:".contains($0)) })
    else { return nil }
    guard !arguments.contains(where: { $0.form.accepts(word) }) else { return nil }
    let fitting = options.first { option in
      guard option.isRequired, let value = option.value, value.form.accepts(word) else { return false }
      return !tokens.contains { token in
        if case .option(option.long, _) = token { true } else { false }
      }
    }
    return fitting.map { "\($0.flag) \(text)" }
  }

  private func collect(
    _ tokens: [Lexer.Token], declared: [OptionDeclaration], path: [String], environment: (String) -> Word?
  ) throws(UsageError) -> [ParsedWords.Given] {
    var all: [ParsedWords.Given] = []
    for option in declared {
      var given = ParsedWords.Given(name: option.long, words: [])
      for case .option(option.long, .given(let value)) in tokens { given.words.append(value ?? "") }
      if given.words.isEmpty, let variable = option.environment, let word = environment(variable), !word.bytes.isEmpty {
        given.words = [word]
        given.origin = .environment(variable)
      }
      if given.words.isEmpty { continue }
      if let value = option.value {
        for word in given.words { try require(word, toBe: value.form, at: option.flag, from: given.origin, path: path) }
      }
      all.append(given)
    }
    return all
  }

  private func require(
    _ word: Word, toBe form: ValueForm, at place: String, from origin: ParsedWords.Origin = .commandLine, path: [String]
  ) throws(UsageError) {
    guard !form.accepts(word) else { return }
    let problem: UsageError.Problem =
      switch origin {
      case .environment(let name): .malformedVariable(word, name: name, noun: form.noun, accepted: form.accepted)
      case .commandLine, .notGiven: .malformedValue(word, place: place, noun: form.noun, accepted: form.accepted)
      }
    throw UsageError(problem: problem, path: path)
  }
}
