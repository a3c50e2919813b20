import Synchronization

/// A lexer that knows the options of all commands, made when it is first needed: few lines need it.
final class ThoroughLexer: Sendable {
  private let kept = Mutex<Lexer?>(nil)
  private let declarations: @Sendable () -> [OptionDeclaration]

  init(_ declarations: @escaping @Sendable () -> [OptionDeclaration]) {
    self.declarations = declarations
  }

  /// The tokens of a line, in order.
  ///
  /// Where two options have one name, the preferred one counts.
  func tokens(_ words: [Word], preferring preferred: [OptionDeclaration] = []) -> [Lexer.Token] {
    let lexer = kept.withLock { kept in
      let lexer = kept ?? Lexer(declarations: declarations())
      kept = lexer
      return lexer
    }
    return preferred.isEmpty
      ? lexer.tokens(words) : Lexer(declarations: preferred + lexer.declarations).tokens(words)
  }
}
