import AuthBackend
import AuthCore
import AuthDevice

/// What a right guess goes on with.
enum StepRequest: Sendable {
  /// Without a name for what can be none.
  case login(name: String?, origin: SessionOrigin?, limits: LimitRequest)
  case reauthentication(SessionToken, limits: LimitRequest)
  case passwordChange(SessionToken, BetterHash)
}

/// A hash of a password as the server keeps it, and the proof that opens it.
struct BetterHash: Sendable {
  let setting: String
  let proof: [UInt8]

  init(_ hash: String) {
    setting = PostgresBackend.setting(of: hash)
    proof = Array(hash.utf8)
  }

  var verifier: [UInt8] { SHA256.hash(proof) }
}

/// What is sent to be judged.
struct Guess: Sendable {
  let setting: String
  let proof: [UInt8]
  /// A hash at the cost of now, for an account whose hash is cheaper.
  let better: BetterHash?
  /// An answer to a challenge.
  let code: [UInt8]?

  /// The same guess with a code.
  func with(code: [UInt8]) -> Guess { Guess(setting: setting, proof: proof, better: better, code: code) }
}

/// A right password that waits for its code.
///
/// The server keeps none: it gets the proof of the password again, with the code, and judges both.
/// So whatever ends a challenge, such as a new password, is seen there.
struct PasswordAccepted: Sendable {
  let guess: Guess
  let step: StepRequest
}
