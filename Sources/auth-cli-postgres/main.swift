import AuthBackend
import AuthCore
import AuthLocal
import AuthPostgres
import AuthProgram
import Glibc

/// Where the database is; the program that hands over has seen that it is set.
@Sendable func address() throws(BackendError) -> ServerAddress {
  try ServerAddress(getenv("AUTH_CLI_AUTHORITY").map { String(cString: $0) } ?? "")
}

extension TimelineFile: TimelineRecord {}

/// The commands `schema …`.
struct Tools: SchemaTools {
  private var owner: SchemaOwner {
    get throws(BackendError) { SchemaOwner(try address()) }
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

Program(companion: Tools()) { (places, label) throws(BackendError) in
  PostgresBackend(
    try address(), label: label, origin: OwnOrigin.find, timelines: TimelineFile(directory: places.state))
}.main()
