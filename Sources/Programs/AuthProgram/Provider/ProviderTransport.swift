import AuthCore
import AuthMessages
import AuthOAuth
import CommandLineKit
import Glibc
import TextFormat

/// How the program sends requests to a provider: with curl.
enum ProviderTransport {
  /// The variable that lists the requests on standard error.
  static let variable = "AUTH_CLI_DEBUG"

  /// The transport; with `AUTH_CLI_DEBUG`, each request is a line on standard error, with its
  /// address, the status of the answer and the time, and without what may be secret.
  static var send: OAuthTransport {
    let send: OAuthTransport = CurlTransport(workPlace: .callingThread).send
    guard Environment.value(variable)?.isEmpty == false else { return send }
    return { request in
      let began = ContinuousClock.now
      func list(_ end: String) {
        let time = Int(began.duration(to: .now) / .milliseconds(1))
        let line = Array("auth-cli: \(TextEscaping.escape(request.description)): \(end), \(time) ms\n".utf8)
        _ = write(STDERR_FILENO, line, line.count)
      }
      do {
        let response = try await send(request)
        list("status \(response.status)")
        return response
      } catch {
        list("no answer")
        throw error
      }
    }
  }

  /// What a login says about the variables of curl that are set here: no context stores them.
  static var notes: [Hint] {
    let names = [
      "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY", "no_proxy", "NO_PROXY", "CURL_CA_BUNDLE", "SSL_CERT_FILE",
      "SSL_CERT_DIR",
    ].filter { Environment.value($0)?.isEmpty == false }
    guard !names.isEmpty else { return [] }
    let list = names.joined(separator: ", ")
    return [Hint("The context does not store \(list): set that also where a timer or cron runs auth-cli.")]
  }
}
