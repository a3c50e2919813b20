import AuthCore
import AuthMessages
import AuthOAuth
import CommandLineKit
import TextFormat

/// `credential kubectl`.
enum KubectlCredentialCommand {
  static let command = Command<CommandBody>(
    "kubectl", summary: "Answer kubectl as an exec plugin",
    discussion: [
      "Prints an ExecCredential of client.authentication.k8s.io with an access token and when it expires, in the version "
        + "that kubectl asks for: v1 or v1beta1. Name it in the kubeconfig: users[].user.exec with command: auth-cli, "
        + "args: [credential, kubectl] and interactiveMode: Never.",
      "With --id-token it prints the newest ID token instead, for an API server with its own OpenID Connect settings "
        + "(--oidc-issuer-url). 'status' says for whom that token is. If it has expired and the provider sends none with a renewal, "
        + "you must log in again.",
    ],
    options: [idToken],
    examples: [
      "credential kubectl": "prints the credential",
      "credential kubectl --id-token": "prints one with the ID token",
    ],
    statuses: .ofAccessTokens
  ) { _ in
    CommandBody { (words, output, makeBackend) async throws(CommandError) in
      guard words[idToken] else {
        return try await CommandBody.withAccessToken { (_, access) async throws(CommandError) in
          try answer(access.token.value, until: try access.end())
        }.run(words, output, makeBackend)
      }
      let location = try ContextLocation(words)
      return try await atProvider { () async throws(CommandError) in
        let identity = try await SavedIdentity(in: location, output).token
        return try answer(identity.value, until: identity.end)
      }
    }
  }

  private static let idToken = Option.flag(
    "id-token", "Print the ID token, for an API server with OpenID Connect settings of its own")

  private static func answer(_ token: String, until end: UTCTime?) throws(CommandError) -> CommandResult {
    let credential: JSON = [
      "apiVersion": .string(try version()), "kind": "ExecCredential",
      "status": ["token": .string(token)] + (end.map { ["expirationTimestamp": .string($0.iso8601)] } ?? [:]),
    ]
    return CommandResult(.onlyShows, text: credential.text + "\n", credential)
  }

  /// The version that kubectl asks for; it describes the request in a variable (client-go
  /// credential plugins, "Input and output formats").
  private static func version() throws(CommandError) -> String {
    let group = "client.authentication.k8s.io/"
    guard let request = Environment.value("KUBERNETES_EXEC_INFO"),
      case .object(let list)? = JSON(parsing: Array(request.utf8)),
      case .string(let version)? = list.first(where: { $0.name == "apiVersion" })?.value
    else { return group + "v1" }
    guard [group + "v1", group + "v1beta1"].contains(version) else {
      throw CommandError(code: .kubectlVersionUnknown, version.escaped)
    }
    return version
  }
}
