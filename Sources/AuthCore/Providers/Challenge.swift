/// The second step that an authority asks for, after the password was right.
///
/// It is the only thing that can be answered: ``SessionStore/answer(_:to:)`` takes one. A wrong
/// answer leaves it usable while tries are left. An answered, cancelled or expired one is dead.
public struct Challenge: Hashable, Sendable {
  /// What an authority asks for.
  public enum Question: Hashable, Sendable {
    /// A code of so many digits.
    case code(digits: Int)
    /// One of the codes that the user keeps for a lost device.
    case recoveryCode
    /// Something else, in words for the user.
    case other(String)
  }

  /// Names the challenge at its authority; it opens nothing but an answer.
  ///
  /// An authority never gives it twice. `revoke` of ``Authority`` withdraws the challenge.
  public let token: SessionToken
  /// What the user has to enter.
  public let question: Question
  /// How many answers the authority still checks.
  public let triesLeft: Int
  /// Until when the authority takes an answer.
  public let deadline: Deadline

  /// Creates a challenge.
  ///
  /// For authorities.
  public init(token: SessionToken, question: Question, triesLeft: Int, deadline: Deadline) {
    self.token = token
    self.question = question
    self.triesLeft = triesLeft
    self.deadline = deadline
  }
}
