import AuthBackend
import AuthCore
import Services
import Testing

@testable import AuthPostgres

extension PostgresTests {
  @Suite struct ThrottleCostTests {
    @Test("a throttled attempt on an account and one on an invented name take the same time, within a twentieth")
    func cost() throws {
      let database = try RulesDatabase(isShared: true)
      _ = try database.registerBoth()
      func attempt(_ name: String) -> Duration {
        ContinuousClock().measure { _ = failure { try database.authority.logIn(name, wrongPassword) } }
      }
      let names = ["alice", "invented"]
      for name in names { for _ in 0..<5 { _ = attempt(name) } }
      func ratio() -> Double {
        var times = names.map { _ in [Duration]() }
        for _ in 0..<21 { for (index, name) in names.enumerated() { times[index].append(attempt(name)) } }
        let shortest = times.joined().min() ?? .zero
        #expect(shortest >= ThrottlePolicy.denialTime, "\(shortest)")
        let medians = times.map { $0.sorted()[10] }
        return medians[0] / medians[1]
      }
      // Other processes may disturb a round; a difference that a client can measure is in all.
      var ratios = [ratio()]
      while !(0.95...1.05).contains(ratios[ratios.count - 1]), ratios.count < 8 { ratios.append(ratio()) }
      #expect(ratios.count < 8, "\(ratios)")
    }
  }
}
