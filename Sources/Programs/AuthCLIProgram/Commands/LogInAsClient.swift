import AuthCore
import AuthDevice
import AuthMessages
import AuthOAuth
import AuthScreens
import CommandLineKit
import TextFormat

// `login --client-credentials`: the access of a client that acts for itself.
extension LogInAtProvider {
  /// Throws for an option that has a meaning only with a user or a session.
  func requireOptionsOfClient(besides ofUser: [any DeclaredOption]) throws(CommandError) {
    let option = words[Self.assertionFile] == nil ? Self.clientCredentials.declaration : Self.assertionFile.declaration
    if location.resource != nil { throw .excluded(option, by: Options.resource.declaration, path: words.path) }
    if let other = ofUser.first(where: { words.origin(of: $0) != .notGiven }) {
      throw .excluded(option, by: other.declaration, path: words.path)
    }
    if words[Self.assertionFile] != nil, words[Self.secretFromInput] {
      throw .excluded(Self.assertionFile.declaration, by: Self.secretFromInput.declaration, path: words.path)
    }
  }

  /// Requests the first access token, and remembers the client.
  func runAsClient(_ output: CommandOutput) async throws(CommandError) -> CommandResult {
    // The login must not replace a session of a database,
    if case .unavailable(let failure) = location.vault(for: .anyProvider).read() { throw CommandError(failure) }
    let settings = try await clientSettings(output)
    let workspace = ClientWorkspace(location, output, settings)
    // nor that of a user or of another client.
    if case .unavailable(let failure) = workspace.vault.read() { throw CommandError(failure) }
    let isRenewal = if case .token = workspace.vault.read() { true } else { false }
    let grant = try await workspace.logIn()
    let client = settings.provider.clientID
    let deadlines = try Deadlines(clock: workspace.clock)
    let missing = grant.scopes.map { granted in settings.provider.scopes.filter { !granted.contains($0) } } ?? []
    return CommandResult(
      .changed(
        "the client \(TextEscaping.escape(client)) has access", hint: "Check with: \(run: "status")"),
      lines: [
        "\(isRenewal ? "Renewed the access of" : "Logged in as") the client \(client.escaped) at \(issuer.escaped). "
          + deadlines.validity(of: grant.access)
      ],
      [
        "user": nil, "session": nil, "provider": .provider(.client(settings)),
        "access_token_until": .end(of: grant.access, deadlines),
        "granted_scopes": grant.scopes.map { .array($0.map(JSON.string)) } ?? .null,
        "assertion_file": .string(orNull: settings.assertionFile),
      ] + .context(location),
      notes: (missing.isEmpty
        ? [] : ["The provider did not grant these scopes: \(missing.map(\.escaped).joined(separator: ", "))."])
        + settings.provider.curl.notes
        + (location.contextVariable.map { ["In context \(location.context) (from \($0))."] } ?? []))
  }

  private func clientSettings(_ output: CommandOutput) async throws(CommandError) -> ClientSettings {
    var assertionFile = knownAssertionFile
    if let path = words[Self.assertionFile] { assertionFile = try AbsolutePath.text(path) }
    if words[Self.secretFromInput] { assertionFile = nil }
    // Before any request: a file that cannot be read, or no secret.
    if let assertionFile { _ = try AssertionFile(path: assertionFile).read() }
    var settings = ClientSettings(provider: try await self.settings(output), assertionFile: assertionFile)
    if assertionFile != nil { settings.provider.clientSecret = nil }
    guard settings.assertionFile != nil || settings.provider.clientSecret != nil else {
      throw CommandError(code: .clientProofMissing)
    }
    return settings
  }
}
