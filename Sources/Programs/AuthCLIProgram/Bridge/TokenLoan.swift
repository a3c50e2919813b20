import AuthCore
import CommandLineKit
import ConcurrencyKit
import Glibc

/// Lends an access token to one request after the other, without holding up those that run: a
/// renewal may take long.
final class TokenLoan: Sendable {
  /// A valid token, and what the context of its login stores of the variables of curl, as options.
  typealias Loan = (token: AccessToken, curl: [String: String])
  /// Returns a token that is not the one that a server refused.
  typealias Lender = @Sendable (_ refused: AccessToken?) async throws(CommandError) -> Loan

  private enum State {
    case idle, asked
    case ended(Result<Loan, CommandError>)
  }

  /// Is readable when ``take()`` has something.
  let descriptor: Int32
  private let wakener: Int32
  private let lender: Lender
  private let state = Locked(State.idle)

  /// Nil if the system has no more open files.
  init?(_ lender: @escaping Lender) {
    var ends: [Int32] = [-1, -1]
    guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else { return nil }
    (descriptor, wakener) = (ends[0], ends[1])
    self.lender = lender
  }

  /// Asks for a token, unless that was done.
  func ask(insteadOf refused: AccessToken?) {
    let isNew = state.withLock { state in
      guard case .idle = state else { return false }
      state = .asked
      return true
    }
    guard isNew else { return }
    let work: @Sendable () -> Void = { [self] in
      Task.immediateDetached { [self] () async -> Void in
        let result = await Result { () async throws(CommandError) in try await lender(refused) }
        state.withLock { $0 = .ended(result) }
        var byte: UInt8 = 0
        write(wakener, &byte, 1)
      }
    }
    if !startThread(blockingSignals: true, work) { work() }
  }

  /// The token that was asked for, for one request; nil if it is not there yet.
  func take() -> Result<Loan, CommandError>? {
    state.withLock { state in
      guard case .ended(let result) = state else { return nil }
      state = .idle
      var byte: UInt8 = 0
      read(descriptor, &byte, 1)
      return result
    }
  }
}
