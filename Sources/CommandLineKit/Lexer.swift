/// Sorts words into options and others, before their command is known.
///
/// Options may come before their command, so an option name must have a value for all commands, or
/// for none. A test checks this in the table. So for a valid line, the declarations of the options
/// that occur are enough.
struct Lexer {
  /// A word, or two that belong together.
  enum Token {
    /// A known option, by its long name.
    case option(String, Value)
    /// An option that no command has, as it was written.
    case unknownOption(Word)
    /// A negative number, or a word that looks like one.
    case signedNumber(Word)
    /// Any other word; after `--` it is literal and never a command.
    case plain(Word, literal: Bool)
  }

  /// What a line has for the value of an option.
  enum Value {
    /// The value, or nil for a flag.
    case given(Word?)
    /// Nothing, although the option takes one; `saw` is the word in its place.
    case missing(saw: Word?)
    /// A value, although the option is a flag.
    case unexpected(Word)
  }

  /// The known options.
  ///
  /// There are few, and a line has few of them, so a search is faster than a dictionary.
  let declarations: [OptionDeclaration]

  /// The tokens of a line, in order.
  func tokens(_ words: [Word]) -> [Token] {
    var tokens: [Token] = []
    var rest = words[...]
    while let word = rest.popFirst() {
      if word == "--" { return tokens + rest.map { .plain($0, literal: true) } }
      guard word.looksLikeOption else {
        tokens.append(.plain(word, literal: false))
        continue
      }
      let (name, attached) = word.splitAtEquals
      guard let option = declarations.first(where: { $0.isSpelled(name) }) else {
        tokens.append(word.looksLikeSignedNumber ? .signedNumber(word) : .unknownOption(name))
        continue
      }
      tokens.append(.option(option.long, value(of: option, attached, &rest)))
    }
    return tokens
  }

  /// The value of an option, which may be the next of the other words.
  private func value(of option: OptionDeclaration, _ attached: Word?, _ rest: inout ArraySlice<Word>) -> Value {
    if option.value == nil { return attached.map { .unexpected($0) } ?? .given(nil) }
    if let attached { return .given(attached) }
    guard let next = rest.first, !next.looksLikeOption || next.looksLikeSignedNumber else {
      return .missing(saw: rest.first)
    }
    return .given(rest.popFirst())
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
  var looksLikeOption: Bool {
    bytes.count > 1 && bytes[0] == UInt8(ascii: "-")
  }

  /// Whether the word is a dash and then a digit or a point.
  var looksLikeSignedNumber: Bool {
    guard looksLikeOption else { return false }
    return (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[1]) || bytes[1] == UInt8(ascii: ".")
  }

  /// The part before the first equals sign, and the part after it, if there is one.
  fileprivate var splitAtEquals: (Word, Word?) {
    guard let equals = bytes.firstIndex(of: UInt8(ascii: "=")) else { return (self, nil) }
    return (Word(bytes: bytes[..<equals]), Word(bytes: bytes[(equals + 1)...]))
  }
}
