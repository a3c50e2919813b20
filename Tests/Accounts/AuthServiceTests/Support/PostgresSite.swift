import Foundation
import PostgresServers
import Programs
import Services
import Testing

/// A PostgreSQL database for one test, without what an earlier test left in it.
///
/// All tests share one server.
final class PostgresSite {
  private static let started = Result { try ThrowawayServer() }
  let server: ThrowawayServer
  private let place = ShortFolder()
  private let database: String
  var folder: String { place.path }
  var address: String { server.address(database) }

  /// - Parameter database: Its name; tests that run beside each other need different ones.
  /// - Throws: What keeps the server from running.
  init(_ database: String) async throws {
    self.database = database
    server = try Self.started.get()
    try (address + "\n").write(toFile: folder + "/postgres", atomically: false, encoding: .utf8)
    try await run("dropdb --if-exists --force \(database)")
  }

  /// Runs a script of bash in which `$postgres` is the file with the address of the database.
  @discardableResult
  func run(_ script: String, exits status: Int32 = 0) async throws -> String {
    let environment = [
      "PGHOST": server.directory, "PGUSER": "postgres", "HOME": folder, "postgres": folder + "/postgres",
    ]
    return try await bash(script, environment, exits: status)
  }

  /// Runs a script of bash at the server of all sites.
  static func run(_ script: String) async throws {
    _ = try await bash(script, ["PGHOST": try started.get().directory, "PGUSER": "postgres"], exits: 0)
  }

  /// Creates the database with the administrator alice.
  func install() async throws {
    try await run(
      """
      createdb \(database)
      echo '\(RunningService.password)' |
        auth-service schema install --postgres-file $postgres --first-administrator alice --password-stdin
      """)
  }
}
