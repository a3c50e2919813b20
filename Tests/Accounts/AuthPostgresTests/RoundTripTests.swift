import AuthAccounts
import AuthCore
import AuthRules
import PostgresServers
import Programs
import Services
import Testing

@testable import AuthPostgres

extension PostgresTests {
  @Suite struct RoundTripTests {
    @Test("a lookup of a session takes two round trips to the server, and a payment by a member six")
    func roundTrips() throws {
      let database = try RulesDatabase()
      _ = try database.registerBoth()
      let proxy = CuttingProxy(target: database.server.directory)
      defer { proxy.close() }
      let folder = ShortFolder()
      let rules = try PostgresAuthority(
        "host=\(proxy.directory) user=postgres dbname=\(database.name)",
        confirmed: ConfirmedServer(directory: folder.path)
      ).rules
      let token = try database.authority.logIn("bob", bobPassword).token
      let order = try PaymentOrder("1", to: "alice", key: "key")
      // It connects.
      _ = try rules.perform(Operations.lookUp, on: token)
      func roundTrips(_ body: () throws -> Void) rethrows -> Int {
        proxy.arm(nil)
        try body()
        return proxy.roundTrips
      }
      #expect(try roundTrips { _ = try rules.perform(Operations.lookUp, on: token) } == 2)
      #expect(try roundTrips { _ = try Operations.pay(order, token).serve(rules) } == 6)
    }
  }
}
