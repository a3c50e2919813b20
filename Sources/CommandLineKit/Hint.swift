package import AuthDevice
import CommandLineKit
import TextFormat

/// A line that says what to do next: text, and commands to run.
///
/// A command is a value here, and becomes text where it is printed. There it gets the context that
/// was given, so that it acts on the same session when somebody pastes it:
///
///     "Log in first: \(run: "login", "USER")"
package struct Hint: Hashable, Sendable {
  fileprivate enum Part: Hashable {
    case text(String)
    /// A command of `auth-cli`, word by word.
    case command([String], isForOthers: Bool)
  }

  private var parts: [Part]

  /// Creates a line without a command, such as the hint of a library's error.
  package init(_ text: String) {
    parts = [.text(text)]
  }

  /// The line as it is printed: with the context that somebody named, and with words that a shell
  /// reads as they are meant.
  package func text(in context: ContextName?) -> String { text(in: context, blank: " ") }

  /// The same on a terminal of this width: lines end after words, and never inside a command.
  package func text(in context: ContextName?, width: Int?) -> String {
    // Printed text has no NUL, so this one marks blanks where no line may end.
    Paragraph.message(text(in: context, blank: "\0"), width: width)
      .split(separator: "\0", omittingEmptySubsequences: false).joined(separator: " ")
  }

  private func text(in context: ContextName?, blank: String) -> String {
    parts.reduce(into: "") { text, part in
      switch part {
      case .text(let words): text += words
      case .command(let words, let isForOthers):
        let options = context.map { isForOthers ? [] : ["--context", $0.description] } ?? []
        let command = ["auth-cli"] + (options + words).map { ShellQuoting.word($0) }
        text += command.flatMap { $0.split(separator: " ", omittingEmptySubsequences: false) }.joined(separator: blank)
      }
    }
  }
}

extension Hint {
  /// The line with values in place of each `{NAME}`.
  func filled(from values: inout ArraySlice<String>) -> Hint {
    var filled = self
    for index in parts.indices {
      switch parts[index] {
      case .text(let text): filled.parts[index] = .text(text.filled(from: &values))
      case .command(let words, let isForOthers):
        filled.parts[index] = .command(words.map { $0.filled(from: &values) }, isForOthers: isForOthers)
      }
    }
    return filled
  }
}

extension Hint: CustomStringConvertible {
  /// The line for a run in which nobody named a context.
  package var description: String { text(in: nil) }
}

extension Hint: ExpressibleByStringInterpolation {
  package struct StringInterpolation: StringInterpolationProtocol {
    fileprivate var parts: [Part] = []

    package init(literalCapacity: Int, interpolationCount: Int) {}

    package mutating func appendLiteral(_ text: String) {
      if !text.isEmpty { parts.append(.text(text)) }
    }

    package mutating func appendInterpolation(_ value: some CustomStringConvertible) {
      appendLiteral(value.description)
    }

    package mutating func appendInterpolation(_ hint: Hint) {
      parts += hint.parts
    }

    /// A command to run next, word by word.
    package mutating func appendInterpolation(run words: String...) {
      appendInterpolation(run: words)
    }

    package mutating func appendInterpolation(run words: [String]) {
      parts.append(.command(words, isForOthers: false))
    }

    /// A command that somebody else runs, who has other contexts.
    package mutating func appendInterpolation(runByOthers words: String...) {
      parts.append(.command(words, isForOthers: true))
    }
  }

  package init(stringLiteral text: String) {
    self.init(text)
  }

  package init(stringInterpolation: StringInterpolation) {
    parts = stringInterpolation.parts
  }
}
