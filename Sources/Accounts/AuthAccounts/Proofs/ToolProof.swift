public import AuthCore
import TextFormat

/// A proof for one tool of who is asking it: valid once, and for a minute.
///
/// It is no ``AuthCore/SessionToken`` and gives none: nobody can act with it as its user, and only
/// the account of that tool learns anything from it. It says who asked at that moment, and nothing
/// about what the tool then does.
public struct ToolProof: Hashable, Sendable, Redacted {
  /// The bytes that are hashed and compared.
  package let canonical: [UInt8]

  /// Reads what a tool got from its caller.
  ///
  /// Any bytes are read; what is no proof is refused as a used one is.
  public init(typed bytes: [UInt8]) { canonical = bytes }

  /// Whether it has the form of a proof, whatever it proves.
  package var isWellFormed: Bool { canonical.count == 2 * ProofPolicy.bytes && Hex.bytes(canonical) != nil }

  /// The proof as lower-case hexadecimal digits, to hand to the tool.
  ///
  /// Do not log or keep it.
  public var text: String { String(decoding: canonical, as: UTF8.self) }
}

/// The user who created a proof, at the moment of its verification.
public struct ProvenUser: Hashable, Sendable {
  /// The user.
  public let user: User
  /// The groups of the user's account, in the order of their names.
  public let groups: [GroupName]

  /// Creates a value, for a backend to answer with.
  public init(user: User, groups: [GroupName]) {
    (self.user, self.groups) = (user, groups)
  }
}

/// The limits of proofs.
package enum ProofPolicy {
  /// How many random bytes a proof has.
  package static let bytes = 32
  /// How long a proof is valid.
  package static let time: Duration = .seconds(60)
  /// How many proofs of a user are outstanding at most; a newer one ends the oldest.
  package static let outstanding = 16
}
