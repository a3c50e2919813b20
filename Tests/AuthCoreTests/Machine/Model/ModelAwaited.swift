@testable import AuthCore

/// The awaited commands.
///
/// It uses the shipped ``Awaited`` to find the commands that a state settles.
struct ModelAwaited {
  var restore = false
  var work = false
  var logout = false
  /// The work under way is known to fail.
  var isFailing = false

  private static let gate = LeaseGate(clock: StoppedClock())

  mutating func begin(_ command: SessionCommand) {
    if command == .restore {
      restore = true
    } else if command == .logOut {
      logout = true
    } else if command != .cancel {
      work = true
    }
  }

  mutating func settle(_ state: SessionState, isFailure: Bool) -> [Settlement] {
    guard restore || work || logout else { return [] }
    var shipped = Awaited()
    if restore { _ = shipped.begin(\.restore) }
    if work { _ = shipped.begin(\.work) }
    if logout { _ = shipped.begin(\.logout) }
    if work && (isFailing || isFailure) {
      // A renewal settles nothing, so this only records the failure.
      let renewing = Renewing(
        session: Self.record, purpose: .check, epoch: Epoch(0), step: .asking)
      _ = shipped.settle(.renewing(renewing), nil, .overtaken)
      isFailing = true
    }
    let settled = shipped.settle(state, state.session.map { LoggedInSession($0, Self.gate) }, nil)
    restore = shipped.restore != nil
    work = shipped.work != nil
    logout = shipped.logout != nil
    if !work { isFailing = false }
    return settled
  }

  private static let record: SessionRecord = {
    var authority = ModelAuthority()
    let token = authority.begin(for: 0)
    return authority.record(token, began: Epoch(0))
  }()
}

private struct StoppedClock: SessionClock {
  func now() throws(ClockError) -> BootInstant { throw ClockError("no time in the model") }
  func sleep(for duration: Duration) async throws(CancellationError) { throw CancellationError() }
}
