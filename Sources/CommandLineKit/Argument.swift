/// A positional argument and the type that reading it gives.
package struct Argument<Result: Sendable>: Sendable {
  package let declaration: ArgumentDeclaration
  /// Makes the result of the words given for it, each already of the declared kind.
  ///
  /// Nil means that it was needed and not given.
  package let read: @Sendable ([Word]) -> Result?
}

extension Argument {
  /// An argument that must be given.
  package static func required(_ name: String, _ kind: ValueKind<Result>, _ summary: String) -> Argument {
    let declaration = ArgumentDeclaration(name: name, form: kind.form, summary: summary, arity: .one)
    return Argument(declaration: declaration) { $0.first.flatMap(kind.convert) }
  }

  /// An argument that may be left out.
  package static func optional<Value>(
    _ name: String, _ kind: ValueKind<Value>, _ summary: String
  ) -> Argument where Result == Value? {
    let declaration = ArgumentDeclaration(name: name, form: kind.form, summary: summary, arity: .atMostOne)
    return Argument(declaration: declaration) { .some($0.first.flatMap(kind.convert)) }
  }

  /// All the words that are left, none included.
  ///
  /// Nothing can follow it.
  package static func rest<Value>(
    _ name: String, _ kind: ValueKind<Value>, _ summary: String
  ) -> Argument where Result == [Value] {
    let declaration = ArgumentDeclaration(name: name, form: kind.form, summary: summary, arity: .any)
    return Argument(declaration: declaration) { $0.compactMap(kind.convert) }
  }
}

/// A positional argument as data.
package struct ArgumentDeclaration: Sendable {
  /// How many words an argument takes.
  package enum Arity: Hashable, Sendable {
    case one
    case atMostOne
    case any
  }

  /// The name in capitals that usage lines show.
  package let name: String
  package let form: ValueForm
  package let summary: String
  package let arity: Arity

  /// The argument as usage lines show it.
  package var usage: String {
    switch arity {
    case .one: name
    case .atMostOne: "[\(name)]"
    case .any: "[\(name)...]"
    }
  }
}

/// An argument of any type, where only its declaration matters.
package protocol DeclaredArgument: Sendable {
  var declaration: ArgumentDeclaration { get }
}

extension Argument: DeclaredArgument {}
