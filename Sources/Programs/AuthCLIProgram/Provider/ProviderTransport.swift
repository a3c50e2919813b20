import AuthCore
import AuthMessages
import AuthOAuth
import CommandLineKit
import Glibc
import Synchronization
import TextFormat

/// How the program sends requests to a provider: with curl.
enum ProviderTransport {
  /// The variable that lists the requests on standard error.
  static let variable = "AUTH_CLI_DEBUG"

  /// Whether requests are listed on standard error: with `--verbose`, or `AUTH_CLI_DEBUG`.
  static var isListing: Bool {
    get { listing.load(ordering: .relaxed) }
    set { listing.store(newValue, ordering: .relaxed) }
  }

  private static let listing = Atomic(Environment.value(variable)?.isEmpty == false)

  /// The transport; when it lists, each request is a line on standard error, with its address, the
  /// status of the answer and the time, and without what may be secret.
  ///
  /// - Parameter variables: What the context stores of the variables of curl.
  /// - Returns: The transport.
  static func send(_ variables: CurlVariables = CurlVariables()) -> OAuthTransport {
    let send: OAuthTransport = CurlTransport(executor: .callingThread, options: variables.applied).send
    return { request in
      let began = ContinuousClock.now
      func list(_ end: String) {
        guard isListing else { return }
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
}
