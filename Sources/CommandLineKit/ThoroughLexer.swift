import Synchronization

/// A lexer that knows the options of all commands, made when it is first needed: few lines need it.
final class ThoroughLexer: Sendable {
  private let kept = Mutex<Lexer?>(nil)
  private let declarations: @Sendable () -> [OptionDeclaration]

  init(_ declarations: @escaping @Sendable () -> [OptionDeclaration]) {
    self.declarations = declarations
  }

  /// The tokens of a line, in order.
  func tokens(_ words: [Word]) -> [Lexer.Token] {
    let lexer = kept.withLock { kept in
      let lexer = kept ?? Lexer(declarations: declarations())
      kept = lexer
      return lexer
    }
    return lexer.tokens(words)
  }
}
