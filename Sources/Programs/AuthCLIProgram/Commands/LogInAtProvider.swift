import AuthCore
import AuthDevice
import AuthMessages
import AuthOAuth
import AuthScreens
import CommandLineKit
import TextFormat

/// A login at an identity provider: `login --provider ISSUER`, and `login` where the context
/// remembers one.
struct LogInAtProvider {
  static let options: [any DeclaredOption] = [
    provider, client, secretFromInput, scope, parameter, redirectPort, redirectURI, browser, device, paste,
    selectAccount, clientCredentials, assertionFile,
  ]

  static let provider = Option.optional(
    "provider", "ISSUER", address, "Log in at this identity provider, and remember it with the context")
  static let client = Option.optional(
    "client-id", "ID", ValueKind<String>.text("a client id", maximumBytes: 1024),
    "The client id that the provider gave to the program")
  static let secretFromInput = Option.flag(
    "client-secret-stdin", "Read the client secret from standard input, one line; it is stored with the context")
  static let scope = Option.optional(
    "scope", "SCOPES", ValueKind<String>.text("a list of scopes", maximumBytes: 4096),
    "The scopes to request, with spaces between them (default: openid and offline_access)")
  static let parameter = Option.repeated(
    "parameter", "NAME=VALUE", loginParameter,
    "Add this parameter to the login, such as audience=https://api.example.com; only resource may have several values")
  static let redirectPort = Option.optional(
    "redirect-port", "PORT", .wholeNumber("a port", in: 1024...65535),
    "The port to which the browser returns, if the provider needs a fixed one; it is stored with the context")
  static let redirectURI = Option.optional(
    "redirect-uri", "ADDRESS", loopback,
    "The address to which the browser returns, if the client is registered with one; it is stored with the context")
  static let browser = Option.flag("browser", "Log in with the browser on this machine, also over ssh")
  static let device = Option.flag("device", "Log in with a code on another device")
  static let paste = Option.flag("paste", "Log in with a browser anywhere, and paste the address it returns to")

  private static let selectAccount = Option.flag(
    "select-account", "Ask the provider to let you choose the account, as --switch does too")

  static let clientCredentials = Option.flag(
    "client-credentials", "Get access for the client itself, without a user, such as for a service or a job of CI")
  static let assertionFile = Option.optional(
    "assertion-file", "PATH",
    ValueKind("a path", accepted: "the path of a file", offersFiles: true) {
      $0.text.flatMap { $0.isEmpty ? nil : $0 }
    },
    "The file of a signed assertion in place of the client's secret; it is read at each renewal")

  private static let address = ValueKind<String>(
    "an issuer", accepted: "an https address in ASCII, without a user name or a query, such as https://id.example.com"
  ) { word in
    word.text.flatMap { $0.isIssuer ? $0 : nil }
  }

  private static let loopback = ValueKind<String>(
    "an address of this machine",
    accepted: "an http address of localhost, 127.0.0.1 or [::1], without a port or with one other than 80, such as "
      + "http://localhost:8250/oidc/callback"
  ) { word in
    word.text.flatMap { LoopbackAddress($0) == nil ? nil : $0 }
  }

  /// A parameter of the login that the program does not set itself.
  private static let loginParameter = ValueKind<(String, String)>(
    "a parameter",
    accepted: "NAME=VALUE, but not a standard parameter such as scope; for resource an address such as "
      + "https://api.example.com, for max_age seconds, and for prompt not none"
  ) { word in
    let parts = word.text?.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init) ?? []
    let standard: Set = [
      "response_type", "response_mode", "client_id", "client_secret", "redirect_uri", "scope", "state", "nonce",
      "code_challenge", "code_challenge_method", "request", "request_uri",
    ]
    guard parts.count == 2, !parts[0].isEmpty, !standard.contains(parts[0]) else { return nil }
    switch parts[0] {
    // With `none`, no page opens, and a login always fails.
    case "prompt": return parts[1].split(separator: " ").contains("none") ? nil : (parts[0], parts[1])
    case "max_age": return parts[1].wholeMatch(of: /[0-9]{1,9}/) == nil ? nil : (parts[0], parts[1])
    // RFC 8707, section 2.
    case "resource":
      return parts[1].wholeMatch(of: /[A-Za-z][A-Za-z0-9+.\-]*:[!-~&&[^#]]+/) == nil ? nil : (parts[0], parts[1])
    case _: return (parts[0], parts[1])
    }
  }

  let words: ParsedWords
  let location: ContextLocation
  private let remembered: ContextLogin?
  /// The resource that the tokens are for: of the command line, or of the context unless another
  /// provider is named; nil for none.
  private let resource: ResourceAddress?
  let issuer: String
  /// Whether the client gets access for itself, and no user logs in.
  let isOfClient: Bool

  /// Reads the command line; nil if the login is one at a database.
  init?(_ words: ParsedWords, _ location: ContextLocation, databaseOptions: [any DeclaredOption]) throws(CommandError) {
    (self.words, self.location) = (words, location)
    remembered = try ContextLogin(of: location)
    let before = remembered?.provider
    let isThere = words[Self.provider].map { $0 == before?.issuer } ?? true
    resource = location.resource ?? (isThere ? before?.resource : nil).flatMap { ResourceAddress($0.address) }
    if resource == nil, let alone = ResourceLogin.options.first(where: { words.origin(of: $0) != .notGiven }) {
      throw CommandError(code: .resourceMissing, alone.declaration.flag)
    }
    guard let issuer = words[Self.provider] ?? remembered?.provider.issuer ?? location.resource?.text else {
      guard let alone = Self.options.first(where: { words.origin(of: $0) != .notGiven }) else { return nil }
      let isOfClient = words[Self.clientCredentials] || words[Self.assertionFile] != nil
      throw CommandError(
        code: .providerMissing, alone.declaration.flag, isOfClient ? "--provider" : "--provider or --resource")
    }
    self.issuer = issuer
    let ofUser: [any DeclaredOption] = [
      Self.browser, Self.device, Self.paste, Self.selectAccount, Self.redirectPort, Self.redirectURI,
    ]
    let isOfUser = ofUser.contains { words.origin(of: $0) != .notGiven }
    let isRemembered = remembered?.isOfClient == true && remembered?.provider.issuer == issuer
    isOfClient = words[Self.clientCredentials] || words[Self.assertionFile] != nil || isRemembered && !isOfUser
    if isOfClient { try requireOptionsOfClient(besides: ofUser) }
    let ways = [Self.browser, Self.device, Self.paste].filter { words[$0] }
    if ways.count > 1 { throw .excluded(ways[0].declaration, by: ways[1].declaration, path: words.path) }
    if words.origin(of: Self.redirectPort) != .notGiven, words.origin(of: Self.redirectURI) != .notGiven {
      throw .excluded(Self.redirectPort.declaration, by: Self.redirectURI.declaration, path: words.path)
    }
    var names: Set<String> = []
    for (name, _) in words[Self.parameter] where name != "resource" && !names.insert(name).inserted {
      throw CommandError(code: .parameterTwice, name.escaped)
    }
    if let other = databaseOptions.first(where: { words.origin(of: $0) != .notGiven }) {
      throw CommandError(code: .optionAtProvider, other.declaration.flag, issuer.escaped)
    }
  }

  /// What the context remembers of this provider.
  private var known: ProviderSettings? { remembered?.provider.issuer == issuer ? remembered?.provider : nil }

  /// The file of the assertion that the context remembers.
  var knownAssertionFile: String? {
    guard known != nil, case .client(let settings)? = remembered else { return nil }
    return settings.assertionFile
  }

  /// Gets the provider's metadata, and returns what the context remembers.
  func settings(_ output: CommandOutput) async throws(CommandError) -> ProviderSettings {
    if let resource, !isOfClient {
      return try await ResourceLogin(
        words, output, resource: resource, remembered: remembered?.provider, way: chosenWay
      ).settings()
    }
    let before = known
    // A user's scopes and parameters are not those of a client.
    let known = remembered?.isOfClient == isOfClient ? before : nil
    guard let client = words[Self.client] ?? before?.clientID else {
      throw CommandError(code: .clientMissing, issuer.escaped)
    }
    var secret = before?.clientID == client ? before?.clientSecret : nil
    if words[Self.secretFromInput] {
      secret = Secret(bytes: try SecretLines().lines(["client secret"])[0])
    }
    let curl = try CurlVariables.here(besides: before?.curl ?? CurlVariables())
    let server = try await explainedAsync { () async throws(OAuthError) in
      try await OAuthServer.discover(issuer: issuer, send: ProviderTransport.send(curl))
    }
    // They are about a user.
    let standard = ["openid", "offline_access"].filter {
      !isOfClient && (server.listedScopes.isEmpty || server.listedScopes.contains($0))
    }
    let scopes: [String]? = words[Self.scope].map { $0.split(separator: " ").map(String.init) }
    var settings = ProviderSettings(
      issuer: issuer, clientID: client, clientSecret: secret, scopes: scopes ?? known?.scopes ?? standard,
      parameters: known?.parameters ?? [:])
    settings.curl = curl
    settings.way = chosenWay ?? known?.way
    settings.redirectURI = redirectURI ?? known?.redirectURI ?? ProviderSettings.anyPort
    settings.resources = known?.resources ?? []
    (settings.endpoints, settings.namesIssuer) = (server.endpoints, server.namesIssuer)
    (settings.listsS256, settings.clientAuthentication) = (server.listsS256, server.clientAuthentication)
    if let before, before.clientID == client { settings.clientAuthentication.merge(before.clientAuthentication) { $1 } }
    let given = words[Self.parameter]
    if !given.isEmpty { (settings.parameters, settings.resources) = ([:], []) }
    for (name, value) in given {
      if name == "resource" { settings.resources.append(value) } else { settings.parameters[name] = value }
    }
    return settings
  }

  private var redirectURI: String? {
    words[Self.redirectURI] ?? words[Self.redirectPort].map { "http://127.0.0.1:\($0)/" }
  }

  private var chosenWay: LoginWay? {
    words[Self.browser] ? .browser : words[Self.device] ? .device : words[Self.paste] ? .paste : nil
  }

  /// Lets the user log in, and remembers the provider.
  func run(_ output: CommandOutput, isSwitch: Bool, limits: LimitRequest) async throws(CommandError) -> CommandResult {
    // Checked before any request: the login must not replace a session of a database,
    if case .unavailable(let failure) = location.vault(for: .anyProvider).read() { throw CommandError(failure) }
    let settings = try await settings(output)
    let workspace = ProviderWorkspace(location, output, settings)
    let former = former(insteadOf: settings, output)
    // nor one of another provider or client.
    if former == nil, case .unavailable(let failure) = workspace.vault.read() { throw CommandError(failure) }
    let present = former == nil ? try await workspace.presenceBeforeLogin() : nil
    let replaces = isSwitch || present.map { settings.resource != nil && !$0.user.isIdentified } ?? false
    if let present, !replaces { try workspace.requireIdentified(present.user) }
    try explained { () throws(VaultError) in try (former ?? workspace).vault.requireRoom() }
    let credentials = try await workspace.obtainCredentials(
      chosen: chosenWay, prompting: false, choosing: isSwitch || words[Self.selectAccount])
    let store = workspace.store
    // The new client cannot end the tokens of the old one.
    let ending = await former?.endReplaced()
    let session = try await workspace.remembering(renewing: replaces ? nil : present) {
      () async throws(SessionError) in
      guard let present else { return try await store.logIn(credentials, limits: limits) }
      return replaces
        ? try await store.switchUser(from: present, to: credentials, limits: limits)
        : try await store.reauthenticate(present, with: credentials, limits: limits)
    }
    workspace.rememberClientAuthentication()
    let verb =
      present == nil || replaces && !isSwitch ? "Logged in as" : isSwitch ? "Switched to" : "Renewed the session of"
    let (user, token) = (session.user, workspace.vault.savedToken)
    let deadlines = try Deadlines(clock: workspace.clock)
    return CommandResult(
      .changed("\(TextEscaping.escape(user.username)) is logged in", hint: "Check with: \(run: "status")"),
      lines: ["\(verb) \(user.username.escaped) at \(settings.issuer.escaped). \(deadlines.validity(of: token))"],
      [
        "user": .user(user), "session": .session(session.id, session.limits, deadlines),
        "provider": .provider(settings), "access_token_until": .end(of: token, deadlines),
      ] + workspace.grantDocument(for: user) + .context(location),
      notes: (replaces && !isSwitch ? workspace.endOfReplaced : ending ?? .nobody).notes
        + workspace.grantNotes(for: user).map { Hint($0) } + (known?.curl == settings.curl ? [] : settings.curl.notes)
        + (location.contextVariable.map { ["In context \(location.context) (from \($0))."] } ?? []))
  }
}

extension LogInAtProvider {
  /// The login of this context as a client that was registered earlier for the same resource; nil
  /// if the new login is one of the same client.
  private func former(insteadOf settings: ProviderSettings, _ output: CommandOutput) -> ProviderWorkspace? {
    guard case .user(let remembered)? = remembered, settings.resource != nil,
      remembered.tokenIssuer != settings.tokenIssuer
    else { return nil }
    return ProviderWorkspace(location, output, remembered)
  }
}

extension ProviderWorkspace {
  /// Saves the provider with the context and begins a session; if the login fails, it restores the
  /// provider that was saved before.
  fileprivate func remembering(
    renewing present: LoggedInSession?, _ begin: () async throws(SessionError) -> LoginResult
  ) async throws(CommandError) -> LoggedInSession {
    // Before the login: a crash must not leave a session without its provider.
    let before = try explained { () throws(VaultError) in
      let before = try vault.providerSettings()
      try vault.saveProviderSettings(settings.content)
      return before
    }
    do throws(CommandError) { return try await LoggedInSession.begun(renewing: present, by: begin) } catch {
      try explained { () throws(VaultError) in try vault.saveProviderSettings(before) }
      throw error
    }
  }
}

extension JSON {
  /// An identity provider; never the client's secret.
  static func provider(_ settings: ProviderSettings) -> JSON {
    [
      "issuer": .string(settings.issuer), "client_id": .string(settings.clientID),
      "scopes": .array(settings.scopes.map(JSON.string)),
    ] + (settings.resource == nil ? [:] : ["resource": .string(settings.resources[0])])
  }

  /// When an access token expires; null if there is none, or if the provider did not say.
  static func end(of token: AccessToken?, _ deadlines: Deadlines) -> JSON {
    .string(orNull: token.flatMap { deadlines.moment($0.deadline)?.iso8601 })
  }
}
