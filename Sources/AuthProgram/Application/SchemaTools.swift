package import AuthBackend
package import AuthCore

/// Makes, takes forward, checks and removes the schema of a server.
///
/// The companion program has it; see `SchemaOwner` in `AuthPostgres`.
package protocol SchemaTools: Sendable {
  /// Makes the schema, and the account of the first administrator.
  func install(administrator: String, password: Password) throws(BackendError) -> BackendConnection
  /// Brings the embedded database of a directory into a database without accounts.
  func importing(from directory: String) throws(BackendError) -> ImportSummary
  /// Takes an older schema forward.
  ///
  /// - Returns: Nil when there was nothing to do.
  func upgrade() throws(BackendError) -> BackendConnection?
  /// Compares the schema with what it should be.
  ///
  /// - Returns: What differs.
  func check() throws(BackendError) -> [String]
  /// Removes the schema with all that it holds.
  ///
  /// - Returns: Nil when there was nothing to remove.
  func remove(confirmation: String) throws(BackendError) -> BackendConnection?
}
