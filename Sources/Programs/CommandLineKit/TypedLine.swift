import TextFormat

/// An option as it was typed.
struct TypedOption {
  /// The name with its dashes, without a value.
  let word: Word
  /// Nil if no command has it.
  let declaration: OptionDeclaration?
  let value: Value

  /// The value of an option in a line.
  enum Value {
    /// The value, or nil for a flag.
    case given(Word?)
    /// Nothing, although the option takes one; `saw` is the word in its place.
    case missing(saw: Word?)
    /// A value, although the option is a flag.
    case unexpected
  }
}

/// A line of words, sorted in one pass: its command, its options and its arguments.
///
/// Options may come before their command, so an option name must have a value for all commands, or
/// for none. A test checks this in the table.
struct TypedLine<Request: Sendable> {
  private let tool: Tool<Request>
  /// Nil if the line names none.
  private(set) var command: Command<Request>?
  /// The main names of the command.
  private(set) var path: [String] = []
  private(set) var options: [TypedOption] = []
  /// The other words.
  private(set) var arguments: [Word] = []
  /// Whether all arguments come after `--`, where no word is a command.
  private(set) var hasOnlyLiterals = false

  init(_ words: [Word], _ tool: Tool<Request>) {
    self.tool = tool
    var rest = words[...]
    while let word = rest.popFirst() {
      if word.isSpelled("--") {
        hasOnlyLiterals = arguments.isEmpty
        arguments += rest
        return
      }
      if word.looksLikeOption {
        options.append(option(word, &rest))
      } else if arguments.isEmpty, let next = tool.command(called: word, in: command) {
        command = next
        path.append(next.name)
      } else {
        arguments.append(word)
      }
    }
  }

  /// An option, whose value may be the next of the other words.
  private func option(_ word: Word, _ rest: inout ArraySlice<Word>) -> TypedOption {
    let (name, attached) = word.splitAtEquals
    guard let declaration = declaration(of: name) else {
      return TypedOption(word: word.looksLikeSignedNumber ? word : name, declaration: nil, value: .given(attached))
    }
    let value: TypedOption.Value
    if declaration.value == nil {
      value = attached == nil ? .given(nil) : .unexpected
    } else if let attached {
      value = .given(attached)
    } else if let next = rest.first, !next.looksLikeOption || next.looksLikeSignedNumber {
      value = .given(rest.removeFirst())
    } else {
      value = .missing(saw: rest.first)
    }
    return TypedOption(word: name, declaration: declaration, value: value)
  }

  /// The option of that name; few lines need those of other commands.
  private func declaration(of name: Word) -> OptionDeclaration? {
    (command?.options ?? []).first { $0.isSpelled(name) } ?? tool.allGlobalOptions.first { $0.isSpelled(name) }
      ?? tool.everyOption.first { $0.isSpelled(name) }
  }
}

extension OptionDeclaration {
  /// Whether a word is the long or short name with its dashes.
  fileprivate func isSpelled(_ word: Word) -> Bool {
    if word.bytes.starts(with: "--".utf8) { return word.bytes.dropFirst(2).elementsEqual(long.utf8) }
    return short.map { word.isSpelled("-\($0)") } ?? false
  }
}

extension Word {
  /// Whether the word is a dash with something after it.
  ///
  /// A single dash is a plain word.
  var looksLikeOption: Bool { bytes.count > 1 && bytes[0] == UInt8(ascii: "-") }

  /// Whether the word is a dash and then a digit or a point.
  var looksLikeSignedNumber: Bool {
    looksLikeOption && (bytes[1].isASCIIDigit || bytes[1] == UInt8(ascii: "."))
  }

  /// The part before the first equals sign, and the part after it, if there is one.
  fileprivate var splitAtEquals: (Word, Word?) {
    guard let equals = bytes.firstIndex(of: UInt8(ascii: "=")) else { return (self, nil) }
    return (Word(bytes: bytes[..<equals]), Word(bytes: bytes[(equals + 1)...]))
  }
}
