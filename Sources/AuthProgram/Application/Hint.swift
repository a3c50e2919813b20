import AuthDevice
import AuthMessages
import CommandLineKit
import TextFormat

/// A line that says what to do next: text, and commands to run.
///
/// A command is a value here, and becomes text where it is printed. There it gets the context that
/// was given, so that it acts on the same session when somebody pastes it:
///
///     "Log in first: \(run: "login", "USER")"
struct Hint: Hashable, Sendable {
  fileprivate enum Part: Hashable {
    case text(String)
    /// A command of this program, word by word.
    case command([String], isForOthers: Bool)
  }

  private var parts: [Part]

  /// Creates a line without a command, such as the hint of a library's error.
  init(_ text: String) {
    parts = [.text(text)]
  }

  /// Creates the line of a row of the table of errors.
  init(_ row: ErrorRow) {
    parts = [.text(row.hint)]
    if !row.command.isEmpty { parts.append(.command(row.command, isForOthers: row.isForOthers)) }
  }

  /// The line as it is printed: with the context that somebody named, and with words that a shell
  /// reads as they are meant.
  func text(in context: ContextName?) -> String {
    parts.reduce(into: "") { text, part in
      switch part {
      case .text(let words): text += words
      case .command(let words, let isForOthers):
        text += AuthTool.tool.name
        if let context, !isForOthers { text += " --context \(ShellQuoting.word(context.description))" }
        for word in words { text += " " + ShellQuoting.word(word) }
      }
    }
  }
}

extension Hint: CustomStringConvertible {
  /// The line for a run in which nobody named a context.
  var description: String { text(in: nil) }
}

extension Hint: ExpressibleByStringInterpolation {
  struct StringInterpolation: StringInterpolationProtocol {
    fileprivate var parts: [Part] = []

    init(literalCapacity: Int, interpolationCount: Int) {}

    mutating func appendLiteral(_ text: String) {
      if !text.isEmpty { parts.append(.text(text)) }
    }

    mutating func appendInterpolation(_ value: some CustomStringConvertible) {
      appendLiteral(value.description)
    }

    mutating func appendInterpolation(_ hint: Hint) {
      parts += hint.parts
    }

    /// A command to run next, word by word.
    mutating func appendInterpolation(run words: String...) {
      appendInterpolation(run: words)
    }

    mutating func appendInterpolation(run words: [String]) {
      parts.append(.command(words, isForOthers: false))
    }

    /// A command that somebody else runs, who has other contexts.
    mutating func appendInterpolation(runByOthers words: String...) {
      parts.append(.command(words, isForOthers: true))
    }
  }

  init(stringLiteral text: String) {
    self.init(text)
  }

  init(stringInterpolation: StringInterpolation) {
    parts = stringInterpolation.parts
  }
}
