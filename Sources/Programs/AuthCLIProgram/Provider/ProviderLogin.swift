import AuthCore
import AuthMessages
import AuthOAuth
import CommandLineKit

/// How a user logs in at an identity provider.
enum LoginWay: String, Sendable {
  /// With a browser on this machine, which returns to this program.
  case browser
  /// With a code that the user enters on another device.
  case device
  /// With a browser anywhere, whose address the user copies to this terminal.
  case paste
}

extension ProviderWorkspace {
  /// Lets the user log in at the provider.
  ///
  /// It needs a terminal, so that nothing opens a browser behind the user's back, unless the
  /// command line names a way that asks nothing here.
  ///
  /// - Parameters:
  ///   - chosen: The way that the command line names; if nil, the way of the last login if it works
  ///     here, otherwise another one.
  ///   - prompting: Whether to ask the provider to prompt for the password.
  ///   - choosing: Whether to ask the provider to let the user choose an account.
  /// - Returns: Credentials for one login or reauthentication of the store.
  /// - Throws: ``CommandError`` if there is no terminal, or the login failed.
  func obtainCredentials(
    chosen: LoginWay? = nil, prompting: Bool, choosing: Bool = false
  ) async throws(CommandError) -> Credentials {
    let mayLackTerminal = chosen == .browser || chosen == .device
    guard mayLackTerminal || Prompt.hasTerminal else {
      let error = CommandError(code: .noTerminalForLogin)
      // A code that is entered on another device proves no recent password.
      throw prompting ? error.withHint("Run the command in a terminal. Nothing was opened.") : error
    }
    let (authority, parameters) = (authority, settings.parameters(choosing: choosing))
    func url(to redirect: String) throws(CommandError) -> String {
      try explained { () throws(OAuthError) in
        try authority.authorizationURL(redirectURI: redirect, prompting: prompting, parameters: parameters)
      }
    }
    let way = if let chosen { chosen } else { try wayHere(prompting: prompting) }
    switch way {
    case .browser:
      let redirect = settings.redirectURI
      let listener = try explained { () throws(OAuthError) in
        try LoopbackListener(redirectURI: redirect, title: "auth-cli", place: "the terminal")
      }
      let url = try url(to: listener.address)
      let console = try LoginConsole(mayLackTerminal: mayLackTerminal, output)
      return try BrowserLogin(url: url).credentials(from: listener, on: console) { address throws(OAuthError) in
        try authority.credentials(from: address)
      }
    case .device:
      try authority.server.requireDeviceLogin()
      let device = try await explainedAsync { () async throws(OAuthError) in
        try await authority.deviceAuthorization(parameters: parameters)
      }
      let console = try LoginConsole(mayLackTerminal: mayLackTerminal, output)
      return try await DeviceLogin(device: device, style: output.streams.errors.style).credentials(on: console)
    case .paste:
      // No program should listen there on the machine with the browser. If one does, it cannot use
      // the code, because it does not have the verifier.
      let address = LoopbackAddress(settings.redirectURI)
      let redirect = address?.text(port: address?.port ?? 8411) ?? settings.redirectURI
      return try PasteLogin(url: try url(to: redirect), redirect: redirect).credentials {
        address throws(OAuthError) in try authority.credentials(from: address)
      }
    }
  }

  /// The way of the last login, or one that works here.
  ///
  /// After a login with a browser, a login over ssh must still be possible.
  private func wayHere(prompting: Bool) throws(CommandError) -> LoginWay {
    let isUnseen = settings.way == .browser && Browser.isUnseen
    // A code that is entered on another device proves no recent password.
    if let way = settings.way, !isUnseen, way != .device || !prompting { return way }
    let canUseDevice = authority.server.endpoints[.deviceAuthorization] != nil && !prompting
    if isUnseen {
      let sentence = "This ssh session has no display for the browser of the last login"
      try Prompt(for: "login", insteadUse: "it in a terminal", isEchoed: false).say(
        sentence + (prompting ? "." : "; use --browser to open it anyway."))
    }
    return Browser.isHere ? .browser : canUseDevice ? .device : .paste
  }
}
