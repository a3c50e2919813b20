/// A second step that an authority requires after a correct password.
///
/// Answer it with ``SessionStore/answer(_:to:within:)``. After a wrong answer it is still usable
/// while tries are left. An answered, cancelled or expired challenge has ended.
public struct Challenge: Hashable, Sendable {
  /// The question of an authority.
  ///
  /// Frozen: a later version adds no case.
  public enum Question: Hashable, Sendable {
    /// A code with this number of digits.
    case code(digits: Int)
    /// One of the recovery codes that the user saved for a lost device.
    case recoveryCode
    /// Another question, as a message for the user.
    case other(String)
  }

  /// Identifies the challenge to its authority; it permits only an answer.
  ///
  /// An authority never issues it twice. `revoke` of ``Authority`` withdraws the challenge.
  public let token: SessionToken
  /// The input that the user must enter.
  public let question: Question
  /// The number of answers that the authority will still check.
  public let triesLeft: Int
  /// The time until which the authority accepts an answer.
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
