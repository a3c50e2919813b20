/// A positional argument and the type of its value.
package struct Argument<Result: Sendable>: Sendable {
  package let declaration: ArgumentDeclaration
  /// Converts the words for the argument, each already of the declared kind.
  ///
  /// Nil means that it was required and not given.
  let read: @Sendable ([Word]) -> Result?
}

extension Argument {
  package static func required(_ name: String, _ kind: ValueKind<Result>, _ summary: String) -> Argument {
    let declaration = ArgumentDeclaration(name: name, form: kind.form, summary: summary, arity: .one)
    return Argument(declaration: declaration) { $0.first.flatMap(kind.convert) }
  }

  /// An optional argument; `flag`, if there is one, requires it.
  package static func optional<Value>(
    _ name: String, _ kind: ValueKind<Value>, _ summary: String, neededBy flag: Option<Bool>? = nil
  ) -> Argument where Result == Value? {
    let declaration = ArgumentDeclaration(
      name: name, form: kind.form, summary: summary, arity: .atMostOne, neededBy: flag?.declaration)
    return Argument(declaration: declaration) { .some($0.first.flatMap(kind.convert)) }
  }

  /// All remaining words, possibly none.
  ///
  /// No argument can follow it.
  package static func rest<Value>(
    _ name: String, _ kind: ValueKind<Value>, _ summary: String
  ) -> Argument where Result == [Value] {
    let declaration = ArgumentDeclaration(name: name, form: kind.form, summary: summary, arity: .any)
    return Argument(declaration: declaration) { $0.compactMap(kind.convert) }
  }
}

/// A positional argument as data.
package struct ArgumentDeclaration: Sendable {
  /// The number of words that an argument takes.
  package enum Arity: Hashable, Sendable { case one, atMostOne, any }

  /// The name in capitals, as usage lines show it.
  package let name: String
  package let form: ValueForm
  package let summary: String
  package let arity: Arity
  /// The flag that requires the argument.
  package private(set) var neededBy: OptionDeclaration?

  /// The argument as usage lines show it.
  package var usage: String {
    switch arity {
    case .one: name
    case .atMostOne: "[\(name)]"
    case .any: "[\(name)...]"
    }
  }
}

/// An argument of any type, for code that needs only its declaration.
package protocol DeclaredArgument: Sendable {
  var declaration: ArgumentDeclaration { get }
}

extension Argument: DeclaredArgument {}
