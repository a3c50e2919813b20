package import AuthBackend
import AuthCore
package import AuthDevice
import AuthPostgres
package import AuthProgram
import AuthSQLite
import Glibc

extension Program {
  /// Makes the companion of auth-cli: the program over a PostgreSQL server.
  ///
  /// - Parameter cost: What hashing a password costs.
  /// - Returns: The program.
  package static func overServer(cost: PasswordCost = .standard) -> Program {
    Program(companion: Tools(cost: cost)) { (places, label) throws(BackendError) in
      PostgresBackend(
        try address(), label: label, origin: OwnOrigin.find, cost: cost,
        timelines: TimelineFile(directory: places.state))
    }
  }
}

/// Where the database is; the program that hands over has seen that it is set.
@Sendable private func address() throws(BackendError) -> ServerAddress {
  try ServerAddress(getenv("AUTH_CLI_AUTHORITY").map { String(cString: $0) } ?? "")
}

extension TimelineFile: TimelineRecord {}

/// The commands `schema …`.
private struct Tools: SchemaTools {
  let cost: PasswordCost

  private var owner: SchemaOwner {
    get throws(BackendError) { SchemaOwner(try address(), cost: cost) }
  }

  func install(administrator: String, password: Password) throws(BackendError) -> BackendConnection {
    try owner.install(administrator: administrator, password: password)
  }

  func importing(from directory: String) throws(BackendError) -> ImportSummary {
    let owner = try owner
    return try LocalAuthority(directory: directory).export { (rows) throws(BackendError) in try owner.importing(rows) }
  }

  func upgrade() throws(BackendError) -> BackendConnection? { try owner.upgrade() }
  func check() throws(BackendError) -> [String] { try owner.check() }

  func remove(confirmation: String) throws(BackendError) -> BackendConnection? {
    try owner.remove(confirmation: confirmation)
  }
}
