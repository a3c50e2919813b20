extension Tool {
  package enum ParseResult: Sendable {
    /// Run this request; the words contain the global options.
    case request(Request, ParsedWords)
    /// Show help for these commands and subcommands; for the program when empty.
    case help([String])
    case version
  }

  /// Parses the words after the program's name into a request, without side effects.
  ///
  /// The phases are: help and version; the command; its options, so that a wrong name is reported
  /// before missing values; the form of every value; and finally missing values.
  ///
  /// `environment` looks up a variable. It is called only for variables that options declare, and
  /// never for a command that ignores the environment.
  package func parse(_ words: [Word], environment: (String) -> Word? = { _ in nil }) throws(CommandError) -> ParseResult
  {
    let line = TypedLine(words, self)
    let beforeTerminator = words.prefix { !$0.isSpelled("--") }
    // The valid commands in the line: a request for help never fails.
    if beforeTerminator.contains(where: { $0.isSpelled("--help") || $0.isSpelled("-h") }) { return .help(line.path) }
    if beforeTerminator.contains(where: { $0.isSpelled("--version") }) { return .version }
    let check = Check(line: line, tool: self)
    try check.commandIsKnown()
    guard let command = line.command else {
      try check.optionsAreDeclared(in: allGlobalOptions)
      return .help([])
    }
    let (arguments, declared) = (command.arguments, command.options + allGlobalOptions)
    try check.optionsAreDeclared(in: declared, argument: arguments.first)
    guard let request = command.request else {
      let names = command.subcommands.map(\.name).joined(separator: ", ")
      throw check.refusal(.missingSubcommand, "'\(check.command)' needs one of: \(names)")
    }
    let given = try check.values(
      of: arguments, command.options, declared, command.heedsEnvironment ? environment : { _ in nil })
    try check.nothingIsMissing(in: given, arguments, declared)
    let parsed = ParsedWords(path: check.path, given: given)
    return .request(try request(parsed), parsed)
  }

  /// Whether a flag is in the line, even if the line as a whole is invalid.
  ///
  /// It determines the format of the error.
  package func mentions(_ flag: Option<Bool>, in words: [Word]) -> Bool {
    // Search the words first, because sorting them may need the options of all commands, and few
    // lines have the flag.
    words.contains { $0.isSpelled(flag.declaration.flag) }
      && TypedLine(words, self).options.contains {
        if case .given = $0.value { $0.declaration?.long == flag.declaration.long } else { false }
      }
  }
}

/// Checks a line against the declaration of its command.
private struct Check<Request: Sendable> {
  let line: TypedLine<Request>
  let tool: Tool<Request>

  /// The program and the command, by their main names.
  var path: [String] { [tool.name] + line.path }
  var command: String { path.joined(separator: " ") }

  func refusal(_ code: CommandError.LineCode, _ message: String, advice: String? = nil) -> CommandError {
    CommandError(code, message, path: path, advice: advice)
  }

  /// The advice if an unexpected value may be a secret.
  private var secrecy: String? {
    let readsSecret = line.command?.options.contains { $0.long.hasSuffix("-stdin") } == true
    return readsSecret
      ? "Never write a secret on the command line. If this was one, delete it from the shell's history." : nil
  }

  /// Every word before the arguments is a command.
  func commandIsKnown() throws(CommandError) {
    guard let word = line.arguments.first else { return }
    if line.command == nil, line.hasOnlyLiterals {
      throw refusal(.missingCommand, "there is no command before '--'; words after it are arguments")
    }
    let choices = line.command?.subcommands ?? tool.commands
    guard line.command?.arguments.isEmpty != false, !choices.isEmpty else { return }
    if let command = line.command, let option = line.options.first(where: { $0.declaration == nil }) {
      throw unknown(option.word, command.options + tool.allGlobalOptions, nil)
    }
    let sought = choices.first { $0.soughtAs.contains(where: word.isSpelled) }?.name
    let option = line.command?.options.first { word.isSpelled($0.long) }?.flag
    let followsValue = if case .given(_?)? = line.options.last?.value { line.command != nil } else { false }
    throw .unknownCommand(
      word, sought: sought ?? option, among: choices.flatMap(\.names), path: path,
      advice: followsValue ? "Put a value with spaces in quotation marks." : nil)
  }

  /// Every option is declared, and has a value if it takes one.
  ///
  /// Names come first, because a wrong name is the likely cause of other problems.
  func optionsAreDeclared(in declared: [OptionDeclaration], argument: ArgumentDeclaration? = nil) throws(CommandError) {
    for option in line.options {
      guard let name = option.declaration?.long else { throw unknown(option.word, declared, argument) }
      if declared.contains(where: { $0.long == name }) { continue }
      let owners = tool.locations.filter { $0.command.options.contains { $0.long == name } }
      let list = owners.map { "'\($0.path.joined(separator: " "))'" }.formattedAsChoice()
      throw refusal(.misplacedOption, "'--\(name)' is not an option of '\(command)'; it belongs to \(list)")
    }
    var seen: [String] = []
    for case (let option?, let value) in line.options.map({ ($0.declaration, $0.value) }) {
      switch value {
      case .missing(let saw):
        let found = saw.map { ", but the next word is \($0.quoted)" } ?? ""
        throw refusal(
          .missingValue, "'\(option.flag)' needs a value: \(option.usage)\(found)",
          advice: saw.map { _ in "A value that begins with a dash is written \(option.flag)=VALUE." })
      case .unexpected:
        throw refusal(.unexpectedValue, "'\(option.flag)' takes no value, but one was given", advice: secrecy)
      case .given where seen.contains(option.long) && !option.isRepeatable:
        throw refusal(.repeatedOption, "'\(option.flag)' is given more than once")
      case .given: seen.append(option.long)
      }
    }
  }

  private func unknown(
    _ word: Word, _ declared: [OptionDeclaration], _ argument: ArgumentDeclaration?
  ) -> CommandError {
    var cause = "\(word.quoted) is not an option of '\(command)'"
    guard word.looksLikeSignedNumber else {
      let nearest = NearestName.find(word, among: declared.map(\.flag))
      // What follows the letter may be its value, such as a secret.
      if nearest == nil, word.bytes.count > 2, word.bytes[1] != UInt8(ascii: "-") {
        cause = "\(Word(bytes: word.bytes.prefix(2)).quoted) is not an option of '\(command)'"
      }
      return refusal(
        .unknownOption, cause + CommandError.suggestion(nearest),
        advice: argument?.isAfterDashes == true ? "Write the options of another command after '--'." : nil)
    }
    let form = argument.map { " and not an \($0.name); write \($0.form.accepted)" } ?? ""
    return refusal(.signedNumber, cause + form)
  }

  /// The values of arguments and options, each of its declared form.
  func values(
    of arguments: [ArgumentDeclaration], _ own: [OptionDeclaration], _ declared: [OptionDeclaration],
    _ environment: (String) -> Word?
  ) throws(CommandError) -> [ParsedWords.Given] {
    let takesAny = arguments.contains { $0.arity.takesRest }
    if !takesAny, let extra = line.arguments.dropFirst(arguments.count).first {
      let meant = option(of: own, taking: extra, besides: arguments).map { "; did you mean \($0)?" } ?? ""
      let most =
        arguments.isEmpty ? "no argument" : arguments.count == 1 ? "one argument" : "\(arguments.count) arguments"
      // Not repeated, because it may be a secret.
      let count = line.arguments.count
      throw refusal(
        .extraArgument, "'\(command)' takes \(most), but \(count) \(count == 1 ? "was" : "were") given\(meant)",
        advice: secrecy)
    }
    var rest = line.arguments[...]
    var given: [ParsedWords.Given] = []
    for argument in arguments {
      let taken = argument.arity.takesRest ? rest : rest.prefix(1)
      rest = rest.dropFirst(taken.count)
      for word in taken { try require(word, toBe: argument.form, at: argument.name) }
      if !taken.isEmpty { given.append(.init(name: argument.name, words: Array(taken))) }
    }
    for option in declared {
      let words: [Word] = line.options.filter { $0.declaration?.long == option.long }.compactMap {
        if case .given(let word) = $0.value { word ?? "" } else { nil }
      }
      if !words.isEmpty {
        if let value = option.value { for word in words { try require(word, toBe: value.form, at: option.flag) } }
        given.append(.init(name: option.long, words: words))
      } else if let variable = option.environment, let word = environment(variable), !word.bytes.isEmpty {
        if let value = option.value { try require(word, toBe: value.form, at: variable, isVariable: true) }
        given.append(.init(name: option.long, words: [word], origin: .environment(variable)))
      }
    }
    return given
  }

  /// The option that probably belongs to an extra word, with that word as its value.
  ///
  /// It is a missing required option that accepts the word. A word that the command's arguments
  /// accept is more likely an extra argument.
  private func option(
    of options: [OptionDeclaration], taking word: Word, besides arguments: [ArgumentDeclaration]
  ) -> String? {
    guard let text = word.text, text.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || ".-_:".contains($0)) }),
      !arguments.contains(where: { $0.form.accepts(word) })
    else { return nil }
    let fitting = options.first { option in
      option.isRequired && option.value?.form.accepts(word) == true
        && !line.options.contains { $0.declaration?.long == option.long }
    }
    return fitting.map { "\($0.flag) \(text)" }
  }

  private func require(
    _ word: Word, toBe form: ValueForm, at place: String, isVariable: Bool = false
  ) throws(CommandError) {
    guard !form.accepts(word) else { return }
    let typed = form.isRepeated || word.bytes.isEmpty ? word.quoted : "what you typed"
    let message = "\(place): \(typed) is not \(form.noun); write \(form.accepted)"
    throw isVariable
      ? CommandError(.malformedValue, message, hint: "Correct or unset \(place).")
      : refusal(.malformedValue, message, advice: form.isRepeated ? nil : secrecy)
  }

  func nothingIsMissing(
    in given: [ParsedWords.Given], _ arguments: [ArgumentDeclaration], _ declared: [OptionDeclaration]
  ) throws(CommandError) {
    func isGiven(_ name: String) -> Bool { given.contains { $0.name == name } }
    for argument in arguments where !isGiven(argument.name) {
      let option = argument.neededBy.flatMap { isGiven($0.long) ? $0 : nil }
      guard argument.arity.isRequired || option != nil else { continue }
      throw .missing(argument, with: option, path: path)
    }
    for option in declared where option.isRequired && !isGiven(option.long) {
      throw .missing([option], path: path)
    }
  }
}
