import AuthCore

/// Calls a vault, and turns unexpected answers into violations.
struct VaultProbe: Sendable {
  let subject: SessionVaultContract.Subject

  var vault: any SessionVault { subject.vault }

  /// A token such as authorities issue: any bytes, including zero and line endings.
  static func token(_ number: UInt8) -> SessionToken {
    SessionToken(bytes: [number, 0, 10, 13, 34, 92, 255] + Array(repeating: number, count: 25))
  }

  /// A user with names that a careless file format loses.
  static let user = LastKnownUser(username: "ann \u{0}\n\u{1F511}", displayName: "")

  @discardableResult
  func store(_ token: SessionToken, of user: LastKnownUser? = nil) async throws -> VaultReading {
    try await expect("store") { try await vault.store(token, of: user) }
  }

  func replace(
    _ old: SessionToken, with new: SessionToken, of user: LastKnownUser? = nil
  ) async throws -> Bool {
    try await expect("replace") { try await vault.replace(old, with: new, of: user) }
  }

  func erase(_ token: SessionToken) async throws {
    try await expect("erase") { try await vault.erase(token) }
  }

  func setAside() async throws -> String? {
    try await expect("setAside") { try await vault.setAside() }
  }

  func expectReading(_ expected: VaultReading, _ moment: String) async throws {
    let reading = await vault.load()
    try require(reading == expected, "\(moment) the vault reads as \(reading), not as \(expected)")
  }

  func expectCorrupt(_ moment: String) async throws {
    let reading = await vault.load()
    guard case .corrupt = reading else { throw Breach("\(moment) the vault reads as \(reading), not as corrupt") }
  }

  private func expect<Value>(_ name: String, _ operation: () async throws -> Value) async throws -> Value {
    do { return try await operation() } catch { throw Breach("\(name) failed: \(error)") }
  }
}
