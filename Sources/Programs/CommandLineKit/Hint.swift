import TextFormat

/// A line that says what to do next: text, and commands to run.
///
/// A command is a value here, and becomes text where it is printed, with the options that this run
/// had. So it acts on the same data when a user pastes it:
///
///     "List them first: \(run: "list", "--all")"
package struct Hint: Hashable, Sendable {
  fileprivate enum Part: Hashable {
    case text(String)
    /// A command of the program, word by word.
    case command([String], isForOthers: Bool)
  }

  private var parts: [Part]

  /// Creates a line without a command, such as the hint of a library's error.
  package init(_ text: String) {
    parts = [.text(text)]
  }

  /// The line as it is printed, with words that a shell reads as they are meant.
  ///
  /// - Parameters:
  ///   - program: The name of the program.
  ///   - options: The options of this run, which come before the first option of a command. A
  ///     command for others does not get them.
  ///   - width: The width of the terminal, where lines end after words and never inside a command;
  ///     nil for one line.
  /// - Returns: The text.
  package func text(of program: String, with options: [String], width: Int? = nil) -> String {
    let text = parts.reduce(into: "") { text, part in
      switch part {
      case .text(let words): text += words
      case .command(let words, let isForOthers):
        let first = words.firstIndex { $0.hasPrefix("-") } ?? words.endIndex
        let all = [program] + words[..<first] + (isForOthers ? [] : options) + words[first...]
        let command = all.map { ShellQuoting.word($0) }
        // Printed text has no NUL, so this one marks blanks where no line may end.
        text += command.joined(separator: " ").split(separator: " ", omittingEmptySubsequences: false).joined(
          separator: "\0")
      }
    }
    return Paragraph.message(text, width: width).split(separator: "\0", omittingEmptySubsequences: false)
      .joined(separator: " ")
  }
}

extension Hint {
  /// The line with `…` in place of what may be a secret in the addresses of its text.
  ///
  /// Its commands stay whole, because they are pasted: part of an idempotency key would pay twice.
  var hidingSecrets: Hint {
    var shown = self
    for index in parts.indices {
      if case .text(let text) = parts[index] { shown.parts[index] = .text(text.hidingSecrets) }
    }
    return shown
  }

  /// The line with a name in place of the word `USER` in the commands that begin with one of these
  /// words.
  package func naming(_ name: String, in commands: [[String]]) -> Hint {
    var named = self
    for index in parts.indices {
      guard case .command(let words, let isForOthers) = parts[index],
        commands.contains(where: { words.starts(with: $0) })
      else { continue }
      named.parts[index] = .command(words.map { $0 == "USER" ? name : $0 }, isForOthers: isForOthers)
    }
    return named
  }

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

extension Hint: ExpressibleByStringInterpolation {
  package struct StringInterpolation: StringInterpolationProtocol {
    fileprivate var parts: [Part] = []

    package init(literalCapacity: Int, interpolationCount: Int) {}

    package mutating func appendLiteral(_ text: String) {
      if case .text(let before)? = parts.last {
        parts[parts.count - 1] = .text(before + text)
      } else if !text.isEmpty {
        parts.append(.text(text))
      }
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

    /// A command for another user, who has other contexts.
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
