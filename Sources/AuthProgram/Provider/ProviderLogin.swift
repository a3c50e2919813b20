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

/// Lets the user log in at the provider.
///
/// It needs a terminal, so that nothing opens a browser behind the user's back.
///
/// - Parameters:
///   - authority: The authority of the provider.
///   - way: The way to log in; nil chooses one that works here.
///   - redirectPort: The port to which the browser returns; nil takes a free one.
///   - prompting: Whether to ask the provider to prompt for the password.
///   - parameters: Further parameters of the login.
///   - printer: Says whether colour may be used.
/// - Returns: Credentials for one login or reauthentication of the store.
/// - Throws: ``CommandError`` if there is no terminal, or the login failed.
func obtainCredentials(
  at authority: OAuthAuthority, way: LoginWay?, redirectPort: Int?, prompting: Bool, parameters: [String: String],
  printer: Printer
) async throws(CommandError) -> Credentials {
  guard Question.hasTerminal else { throw CommandError(code: .noTerminalForLogin) }
  let style = printer.streams.errors.style
  // A code that is entered on another device proves no recent password.
  let canUseDevice = authority.server.endpoints[.deviceAuthorization] != nil && !prompting
  switch way ?? (Browser.isHere ? .browser : canUseDevice ? .device : .paste) {
  case .browser:
    let listener = try RedirectListener(port: redirectPort)
    let url = try explained { () throws(OAuthError) in
      try authority.authorizationURL(redirectURI: listener.address, prompting: prompting, parameters: parameters)
    }
    return try BrowserLogin(url: url).credentials(from: listener) { address throws(OAuthError) in
      try authority.credentials(from: address)
    }
  case .device:
    let device = try await explainedAsync { () async throws(OAuthError) in
      try await authority.deviceAuthorization(parameters: parameters)
    }
    return try await DeviceLogin(device: device, style: style).credentials()
  case .paste:
    // Nothing listens there on the machine with the browser. If something does, the code is
    // useless to it without the verifier.
    let redirect = "http://127.0.0.1:\(redirectPort ?? 8411)/"
    let url = try explained { () throws(OAuthError) in
      try authority.authorizationURL(redirectURI: redirect, prompting: prompting, parameters: parameters)
    }
    return try PasteLogin(url: url, redirect: redirect).credentials { address throws(OAuthError) in
      try authority.credentials(from: address)
    }
  }
}
