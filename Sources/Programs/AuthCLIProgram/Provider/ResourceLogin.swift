import AuthCore
import AuthDevice
import AuthMessages
import AuthOAuth
import CommandLineKit
import TextFormat

/// A login for a resource, such as an MCP server: `login --resource URL`.
///
/// It finds the provider of the resource, says what it is going to request, and registers a client
/// there if none is known.
struct ResourceLogin {
  static let options: [any DeclaredOption] = [missingPKCE, Confirmation.yes]

  private static let missingPKCE = Option.flag(
    "allow-missing-pkce", "Accept a provider of a resource that does not announce PKCE; it is stored with the context")

  /// The name with which the program registers.
  private static let clientName = "auth-cli"

  private let words: ParsedWords
  private let output: CommandOutput
  private let resource: ResourceAddress
  private let remembered: ProviderSettings?
  private let way: LoginWay?

  init(
    _ words: ParsedWords, _ output: CommandOutput, resource: ResourceAddress, remembered: ProviderSettings?,
    way: LoginWay?
  ) throws(CommandError) {
    (self.words, self.output, self.resource) = (words, output, resource)
    (self.remembered, self.way) = (remembered, way)
    if words[LogInAtProvider.parameter].contains(where: { $0.0 == "resource" }) {
      throw CommandError(code: .resourceTwice)
    }
    let isPinned = words[LogInAtProvider.client] != nil && words[LogInAtProvider.provider] != nil
    // Otherwise the resource could name another issuer, which would get the secret.
    if words[LogInAtProvider.secretFromInput], !isPinned { throw CommandError(code: .secretNeedsProvider) }
  }

  /// Finds the provider, tells the user what is requested, and returns what the context remembers.
  func settings() async throws(CommandError) -> ProviderSettings {
    guard mayLackTerminal || Prompt.hasTerminal else { throw CommandError(code: .noTerminalForLogin) }
    let given: [String]? = words[LogInAtProvider.scope].map { $0.split(separator: " ").map(String.init) }
    let allowsMissingPKCE = words[Self.missingPKCE] || remembered?.resource?.allowsMissingPKCE == true
    let curl = try CurlVariables.here(besides: remembered?.curl ?? CurlVariables())
    var found = try await explainedAsync { () async throws(OAuthError) in
      try await OAuthServer.discover(
        resource: resource.written, issuer: words[LogInAtProvider.provider], scopes: given,
        requiresPKCE: !allowsMissingPKCE, send: ProviderTransport.send(curl))
    }
    // Nothing that one issuer gave is used at another one.
    let known = remembered.flatMap { $0.issuer == found.server.issuer && $0.resources == [found.identifier] ? $0 : nil }
    if let known { found.scopes = (known.scopes + (given ?? found.demanded)).distinct }
    guard found.scopes.areScopes else { throw CommandError(OAuthError.unusableScopes(resource.text)) }
    if isForDevices { try found.server.requireDeviceLogin() }
    var client = try client(for: found, known)
    var settings = base(found, known)
    settings.resource?.allowsMissingPKCE = allowsMissingPKCE
    settings.curl = curl
    switch client {
    case .named(let id, let secret): (settings.clientID, settings.clientSecret) = (id, secret)
    case .registered(let before):
      settings.take(before, settings.resource?.registration?.isForDevices == true)
      if try await !isUsable(settings) { client = .unregistered }
    case .unregistered: break
    }
    try tell(found, client, isKnown: known != nil)
    guard case .unregistered = client else { return settings }
    return try await register(found, settings)
  }

  private var mayLackTerminal: Bool { way == .browser || way == .device }
  private var isForDevices: Bool { way == .device }
}

extension ResourceLogin {
  /// The client of a login.
  private enum Client {
    /// One that the command line named, now or earlier.
    case named(String, Secret?)
    case registered(OAuthClient)
    case unregistered
  }

  private func client(
    for found: ProtectedResource, _ known: ProviderSettings?
  ) throws(CommandError) -> Client {
    if let id = words[LogInAtProvider.client] {
      if id.hasPrefix("https:"), !found.readsClientDocuments {
        throw CommandError(code: .clientDocumentUnread, found.server.issuer.escaped)
      }
      guard words[LogInAtProvider.secretFromInput] else {
        return .named(id, known?.clientID == id ? known?.clientSecret : nil)
      }
      return .named(id, Secret(bytes: try SecretLines().lines(["client secret"])[0]))
    }
    guard let known else { return .unregistered }
    guard let registration = known.resource?.registration else { return .named(known.clientID, known.clientSecret) }
    let client = OAuthClient(
      id: known.clientID, secret: known.clientSecret, authentication: known.clientAuthentication[.token],
      issuer: known.issuer, resource: known.resources[0], redirectURI: known.redirectURI, scopes: registration.scopes,
      expires: registration.expires)
    let hasGrant = registration.isForDevices || !isForDevices
    let isReturned = redirectURI.map { $0 == client.redirectURI } ?? true
    guard hasGrant, isReturned, client.isUsable(for: found, at: UTCTime.now.seconds) else { return .unregistered }
    return .registered(client)
  }

  private var redirectURI: String? {
    words[LogInAtProvider.redirectURI] ?? words[LogInAtProvider.redirectPort].map { "http://127.0.0.1:\($0)/" }
  }

  /// The settings without the client.
  private func base(_ found: ProtectedResource, _ known: ProviderSettings?) -> ProviderSettings {
    var settings = ProviderSettings(
      issuer: found.server.issuer, clientID: "", scopes: found.scopes, parameters: known?.parameters ?? [:])
    settings.way = way ?? known?.way
    settings.redirectURI = redirectURI ?? known?.redirectURI ?? ProviderSettings.anyPort
    settings.resources = [found.identifier]
    (settings.endpoints, settings.namesIssuer) = (found.server.endpoints, found.server.namesIssuer)
    (settings.listsS256, settings.clientAuthentication) = (found.announcesPKCE, found.server.clientAuthentication)
    let given = words[LogInAtProvider.parameter]
    if !given.isEmpty { settings.parameters = Dictionary(given) { $1 } }
    settings.resource = ResourceSettings(address: resource.text)
    settings.resource?.registration = known?.resource?.registration
    return settings
  }

  /// Says what the login requests, and asks once where that may surprise.
  private func tell(_ found: ProtectedResource, _ client: Client, isKnown: Bool) throws(CommandError) {
    let (issuer, name) = (found.server.issuer, found.identifier)
    let shown =
      switch client {
      case .named(let id, _): "\"\(id)\""
      case .registered(let client): "\"\(Self.clientName)\" (registered there as \(client.id))"
      case .unregistered: "\"\(Self.clientName)\", which registers there now"
      }
    let scopes = found.scopes.isEmpty ? "the scopes of its choice" : "the scopes \(found.scopes.joined(separator: " "))"
    var lines = ["\(issuer) will give a token for \(name) with \(scopes) to the client \(shown)."]
    let asks = !isKnown && (found.hasOtherHost || found.coversMore)
    if asks, found.coversMore { lines.append("That is more than \(resource.text): the token is for all of \(name).") }
    if asks, found.hasOtherHost {
      lines.append(
        "\(resource.host) gets the token, and can use it elsewhere if the issuer does not limit it to \(name).")
    }
    do {  // The question opens the terminal again.
      let console = try LoginConsole(mayLackTerminal: mayLackTerminal, output)
      try console.say(
        lines,
        [
          "issuer": .string(issuer), "resource": .string(name), "scopes": .array(found.scopes.map(JSON.string)),
        ])
    }
    if asks { try Confirmation.ask(words, "Is that what you want?") }
  }

  /// Whether a registered client still works: the server knows it, and its port is free.
  private func isUsable(_ settings: ProviderSettings) async throws(CommandError) -> Bool {
    guard way != .device else { return true }
    if way != .paste {
      let listener = try? LoopbackListener(redirectURI: settings.redirectURI, title: Self.clientName)
      guard listener != nil else { return false }
    }
    return try await explainedAsync { () async throws(OAuthError) in
      try await settings.authority(clock: BootClock()).isKnown(
        redirectURI: settings.redirectURI, parameters: settings.parameters)
    }
  }

  /// Registers a client with the port to which the browser will return: many servers compare it.
  private func register(
    _ found: ProtectedResource, _ settings: ProviderSettings
  ) async throws(CommandError) -> ProviderSettings {
    var settings = settings
    let client = try await explainedAsync { () async throws(OAuthError) in
      let wanted = redirectURI ?? ProviderSettings.anyPort
      let redirect = try LoopbackListener(redirectURI: wanted, title: Self.clientName).address
      return try await found.register(name: Self.clientName, redirectURI: redirect, forDevices: isForDevices)
    }
    settings.take(client, isForDevices)
    return settings
  }
}

extension ProviderSettings {
  /// Takes the registration of a client.
  fileprivate mutating func take(_ client: OAuthClient, _ isForDevices: Bool) {
    (clientID, clientSecret, redirectURI) = (client.id, client.secret, client.redirectURI)
    clientAuthentication = client.ways
    resource?.registration = ResourceSettings.Registration(
      scopes: client.scopes, isForDevices: isForDevices, expires: client.expires)
  }
}
