import AuthCore
import AuthMessages
import AuthOAuth
import CommandLineKit

/// How a user logs in at an identity provider.
enum LoginWay: String, Sendable {
  case browser, device, paste
}

/// Lets the user log in at the provider, and returns the credentials for the store.
func obtainCredentials(
  at authority: OAuthAuthority, way: LoginWay?, redirectPort: Int?, prompting: Bool, parameters: [String: String],
  printer: Printer
) async throws(CommandError) -> Credentials {
  let url = try await asking { () throws(OAuthError) in
    try authority.authorizationURL(
      redirectURI: "http://127.0.0.1:\(redirectPort ?? 8411)/", prompting: prompting, parameters: parameters)
  }
  printer.say("Open this address in a browser, and log in:")
  printer.say(Hint(url))
  let typed = try explained { () throws(PromptError) in
    try SilentTerminal(for: "address", insteadUse: "in a terminal", isEchoed: true)
      .ask("The address to which the browser returned: ")
  }
  return try await asking { () throws(OAuthError) in
    try authority.credentials(from: String(decoding: typed, as: UTF8.self))
  }
}
