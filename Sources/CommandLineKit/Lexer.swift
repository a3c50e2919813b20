/// Sorts words into options and others, before their command is known.
///
/// Options may come before their command, so an option name must have a value for all commands, or
/// for none. A test checks this in the table. So for a valid line, the declarations of the options
/// that occur are enough.
struct Lexer {
  /// A word, or two that belong together.
  enum Token: Hashable, Sendable {
    /// A known option and its value, if it has one.
    case option(String, value: Word?)
    /// An option that no command has, as it was written.
    case unknownOption(Word)
    /// A known option without its required value, and the word in its place.
    case lacksValue(String, saw: Word?)
    /// A known flag that was given a value.
    case unexpectedValue(String, Word)
    /// A negative number, or a word that looks like one.
    case signedNumber(Word)
    /// Any other word; after `--` it is literal and never a command.
    case plain(Word, literal: Bool)
  }

  /// The known options.
  ///
  /// There are few, and a line has few of them, so a search is faster than a dictionary.
  let declarations: [OptionDeclaration]

  private func declaration(_ name: Word) -> OptionDeclaration? {
    declarations.first { $0.isSpelled(name) }
  }

  /// The tokens of a line, in order.
  func tokens(_ words: [Word]) -> [Token] {
    var tokens: [Token] = []
    var index = words.startIndex
    while index < words.endIndex {
      let word = words[index]
      index += 1
      if word == "--" {
        return tokens + words[index...].map { .plain($0, literal: true) }
      }
      guard word.looksLikeOption else {
        tokens.append(.plain(word, literal: false))
        continue
      }
      let (name, attached) = word.splitAtEquals
      guard let option = declaration(name) else {
        tokens.append(word.looksLikeSignedNumber ? .signedNumber(word) : .unknownOption(name))
        continue
      }
      let next = index < words.endIndex ? words[index] : nil
      tokens.append(token(for: option, attached: attached, next: next))
      if case .option(_, value: .some) = tokens.last, attached == nil { index += 1 }
    }
    return tokens
  }

  private func token(for option: OptionDeclaration, attached: Word?, next: Word?) -> Token {
    switch (option.value, attached) {
    case (nil, nil): .option(option.long, value: nil)
    case (nil, .some(let value)): .unexpectedValue(option.flag, value)
    case (.some, .some(let value)): .option(option.long, value: value)
    case (.some, nil):
      if let next, !next.looksLikeOption || next.looksLikeSignedNumber {
        .option(option.long, value: next)
      } else {
        .lacksValue(option.flag, saw: next)
      }
    }
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
