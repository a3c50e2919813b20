import TextFormat

// Errors in the command line, after which the program has done nothing.
extension CommandError {
  /// Creates an error in the command line.
  ///
  /// - Parameters:
  ///   - code: The stable name.
  ///   - message: What happened and why.
  ///   - path: The program and the valid part of the command, whose help the hint names.
  ///   - advice: What to do, before that.
  package init(_ code: LineCode, _ message: String, path: [String], advice: String? = nil) {
    let help = (path.prefix(1) + ["help"] + path.dropFirst()).joined(separator: " ")
    self.init(code, message, hint: Hint([advice, "See '\(help)'."].compactMap(\.self).joined(separator: " ")))
  }

  /// No command of `path` has the name `word`; `names` and `sought` may be suggested.
  static func unknownCommand(
    _ word: Word, sought: String? = nil, among names: [String], path: [String], advice: String? = nil
  ) -> CommandError {
    let nearest = suggestion(sought ?? NearestName.find(word, among: names))
    // A mistyped name is repeated. Anything else may be a secret.
    let isLikeName =
      word.bytes.count <= 20 && word.bytes.allSatisfy { $0.isASCIIAlphanumeric || $0 == UInt8(ascii: "-") }
    let typed = isLikeName ? word.quoted : "what you typed"
    return CommandError(
      .unknownCommand, "\(typed) is not a command of '\(path.joined(separator: " "))'" + nearest, path: path,
      advice: advice)
  }

  /// At least one of these options is required, and none is given.
  package static func missing(_ options: [OptionDeclaration], path: [String]) -> CommandError {
    let choice = options.map(\.usage).formattedAsChoice()
    return CommandError(.missingOption, "'\(path.joined(separator: " "))' needs the option \(choice)", path: path)
  }

  /// Only one of two options can be given.
  package static func excluded(
    _ option: OptionDeclaration, by other: OptionDeclaration, path: [String]
  ) -> CommandError {
    CommandError(.misplacedOption, "'\(option.flag)' cannot be given together with '\(other.flag)'", path: path)
  }

  /// The error for an argument that is required, always or with an option.
  package static func missing(
    _ argument: ArgumentDeclaration, with option: OptionDeclaration?, path: [String]
  ) -> CommandError {
    let condition = option.map { " when \($0.flag) is given" } ?? ""
    return CommandError(
      .missingArgument, "'\(path.joined(separator: " "))' needs \(argument.name)\(condition)", path: path)
  }

  /// The end of a message: the name that was probably meant, if there is one.
  static func suggestion(_ nearest: String?) -> String {
    nearest.map { "; did you mean '\($0)'?" } ?? ""
  }
}
