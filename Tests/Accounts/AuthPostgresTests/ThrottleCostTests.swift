import AuthCore
import AuthRules
import Services
import Testing

@testable import AuthPostgres

extension PostgresTests {
  @Suite struct ThrottleCostTests {
    @Test("a throttled attempt ends no sooner for an account than for an invented name: the work is hidden in a wait")
    func cost() throws {
      let database = try RulesDatabase(isShared: true)
      _ = try database.registerBoth()
      for name in ["alice", "invented"] {
        for _ in 0..<5 { _ = failure { try database.authority.logIn(name, wrongPassword) } }
        for _ in 0..<10 {
          let time = ContinuousClock().measure { _ = failure { try database.authority.logIn(name, wrongPassword) } }
          // A wait has a shortest time on every machine; how much longer it takes says nothing.
          #expect(time >= ThrottlePolicy.denialTime, "\(name)")
        }
      }
    }
  }
}
