/// An error in the command line.
///
/// The program did nothing.
package struct UsageError: Error, Hashable, Sendable {
  package enum Problem: Hashable, Sendable {
    /// No command has this name. `parent` is empty at the top.
    case unknownCommand(Word, nearest: String?)
    /// The command needs a subcommand.
    case missingSubcommand([String])
    /// There are words after `--` and no command before it.
    case missingCommand
    /// No command has this option.
    case unknownOption(Word, nearest: String?)
    /// Other commands have this option.
    case misplacedOption(String, belongsTo: [String])
    /// Only one of two options can be given.
    case excludedOption(String, by: String)
    /// A number with a sign, which options also start with.
    case signedNumber(Word, argument: String?, accepted: String?)
    /// An option was given twice.
    case repeatedOption(String)
    /// An option that takes no value was given one.
    case unexpectedValue(String, Word)
    /// An option without its value. `saw` is the word in its place.
    case missingValue(String, valueName: String, saw: Word?)
    /// An extra word; `nearest` is a required option with this word as its value, if the command
    /// has one that fits.
    case extraArgument(Word, nearest: String?)
    /// A value is not of its kind; `place` is the option or the argument.
    case malformedValue(Word, place: String, noun: String, accepted: String)
    /// The value of an environment variable is not of its kind.
    case malformedVariable(Word, name: String, noun: String, accepted: String)
    /// A required option is missing.
    case missingOption(String)
    /// A required argument is missing; `because` is the option that requires it, if any.
    case missingArgument(String, because: String?)
  }

  package let problem: Problem
  /// The program and the valid part of the command, for the hint about help.
  package let path: [String]

  package init(problem: Problem, path: [String]) {
    self.problem = problem
    self.path = path
  }

  /// What happened and why, in one line.
  package var message: String { entry.message }

  /// A stable name for programs.
  package var code: Code { entry.code }

  private var entry: (code: Code, message: String) {
    let command = path.joined(separator: " ")
    switch problem {
    case .unknownCommand(let word, let nearest):
      return (.unknownCommand, "\(word.quoted) is not a command of '\(command)'" + Self.suggestion(nearest))
    case .missingSubcommand(let names):
      return (.missingSubcommand, "'\(command)' needs one of: \(names.joined(separator: ", "))")
    case .missingCommand:
      return (.missingCommand, "there is no command before '--'; words after it are arguments")
    case .unknownOption(let word, let nearest):
      return (.unknownOption, "\(word.quoted) is not an option of '\(command)'" + Self.suggestion(nearest))
    case .misplacedOption(let option, let owners):
      let list = owners.map { "'\($0)'" }.formattedAsChoice()
      return (.misplacedOption, "'\(option)' is not an option of '\(command)'; it belongs to \(list)")
    case .excludedOption(let option, let other):
      return (.misplacedOption, "'\(option)' cannot be given together with '\(other)'")
    case .signedNumber(let word, .some(let argument), .some(let accepted)):
      return (
        .signedNumber, "\(word.quoted) is not an option of '\(command)' and not an \(argument); write \(accepted)"
      )
    case .signedNumber(let word, _, _):
      return (.signedNumber, "\(word.quoted) is not an option of '\(command)'")
    case .repeatedOption(let option):
      return (.repeatedOption, "'\(option)' is given more than once")
    case .unexpectedValue(let option, let word):
      return (.unexpectedValue, "'\(option)' takes no value, but \(word.quoted) was given")
    case .missingValue(let option, let name, let saw):
      let found = saw.map { ", but the next word is \($0.quoted)" } ?? ""
      return (.missingValue, "'\(option)' needs a value: \(option) \(name)\(found)")
    case .extraArgument(let word, let nearest):
      return (.extraArgument, "unexpected \(word.quoted)" + (nearest.map { "; did you mean \($0)?" } ?? ""))
    case .malformedValue(let word, let place, let noun, let accepted),
      .malformedVariable(let word, let place, let noun, let accepted):
      return (.malformedValue, "\(place): \(word.quoted) is not \(noun); write \(accepted)")
    case .missingOption(let usage):
      return (.missingOption, "'\(command)' needs the option \(usage)")
    case .missingArgument(let name, let because):
      return (.missingArgument, "'\(command)' needs \(name)" + (because.map { " when \($0) is given" } ?? ""))
    }
  }

  /// How to read more, in one line.
  package var hint: String {
    let (program, words) = (path.first ?? "", path.dropFirst())
    let help = ([program, "help"] + words).joined(separator: " ")
    if case .missingValue(let option, _, saw: .some) = problem {
      return "A value that begins with a dash is written \(option)=VALUE. Read '\(help)'."
    }
    if case .malformedVariable(_, let name, _, _) = problem { return "Correct or unset \(name)." }
    return "Read '\(help)'."
  }

  private static func suggestion(_ nearest: String?) -> String {
    nearest.map { "; did you mean '\($0)'?" } ?? ""
  }
}

extension UsageError {
  package enum Code: String, Hashable, NamedCode {
    case unknownCommand = "unknown_command: no command has this name"
    case missingSubcommand = "missing_subcommand: the command needs a subcommand"
    case missingCommand = "missing_command: there is no command"
    case unknownOption = "unknown_option: no command has this option"
    case misplacedOption = "misplaced_option: the option belongs to another command"
    case signedNumber = "signed_number: a number with a sign is where an option could be"
    case repeatedOption = "repeated_option: an option is given twice"
    case unexpectedValue = "unexpected_value: a flag was given a value"
    case missingValue = "missing_value: an option has no value"
    case extraArgument = "extra_argument: there is a word too many"
    case malformedValue = "malformed_value: a value does not have the right form"
    case missingOption = "missing_option: a required option is missing"
    case missingArgument = "missing_argument: an argument is missing"
  }
}

/// The code of an error: its stable name for programs and, after a colon, what it means, as a
/// clause.
package protocol NamedCode: RawRepresentable<String>, CaseIterable, Sendable {}

extension NamedCode {
  package var name: String { String(rawValue.prefix { $0 != ":" }) }
  package var meaning: String { String(rawValue.dropFirst(name.count + 2)) }
}
