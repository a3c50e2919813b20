import AuthCoreTesting
import Programs
import Testing

@testable import AuthCore

@Suite("Leases and logouts race", .timeLimit(.minutes(10)))
struct LeaseStressTests {
  /// Several tasks take leases as fast as they can while sessions are repeatedly ended.
  ///
  /// - Returns: The number of leases, the number of effects that ran after a logout had returned,
  ///   and the results of the logouts.
  private func race(
    timing: SessionTiming = SessionTiming(), rounds: Int
  ) async throws -> (leases: Int, late: Int, results: [LogoutResult]) {
    let world = World(timing: timing)
    world.authority.setGrantedLimits(SessionLimits(idle: .never, absolute: .never, fresh: .never))
    let (leases, late) = (Counter(), Counter())
    var results: [LogoutResult] = []
    for _ in 0..<rounds {
      let key = try await world.store.loggedIn(World.alice)
      let (ends, before) = (Counter(), leases.value)
      let workers = (0..<12).map { worker in
        Task {
          while true {
            // Without a yield, these tasks would block the task that logs out.
            await Task.yield()
            do throws(LeaseError<Never>) {
              if worker.isMultiple(of: 3) {
                try key.withLease { _ in
                  if ends.value > 0 { late.add(1) }
                  leases.add(1)
                  if ends.value > 0 { late.add(1) }
                }
              } else {
                try await key.withLease { (_: borrowing SessionLease) async in
                  for _ in 0..<worker { await Task.yield() }
                  leases.add(1)
                  if ends.value > 0 { late.add(1) }
                }
              }
            } catch {
              return
            }
          }
        }
      }
      await until { leases.value >= before + 20 }
      results.append(try await world.store.logOutAnyone())
      ends.add(1)
      for worker in workers { await worker.value }
    }
    return (leases.value, late.value, results)
  }

  @Test("after a complete logout no effect under a lease runs or can start")
  func drained() async throws {
    let rounds = Effort.isComplete ? 500 : 150
    let tally = try await race(rounds: rounds)
    #expect(tally.late == 0)
    #expect(tally.results.allSatisfy { $0 == .complete })
    #expect(tally.leases >= 20 * rounds)
  }

  @Test("a store that does not wait for its leases fails the same race, and does not return complete")
  func undrained() async throws {
    let tally = try await race(timing: SessionTiming(logoutStep: .zero), rounds: 200)
    #expect(tally.late > 0)
    #expect(tally.results.contains { $0 != .complete })
  }
}
