import AuthCore
import AuthDevice
import AuthMessages
import AuthOAuth
import CommandLineKit
import TextFormat

/// The context that a run uses, and the directories of its files.
struct ContextLocation {
  let directories: Directories
  private(set) var context: ContextName
  /// The environment variable that chose the context, to be shown; it applies to this run only.
  let contextVariable: String?
  /// The resource whose login the command uses; nil if it named none.
  private(set) var resource: ResourceAddress?

  /// Chooses the context: the one that is named, that of the resource, or the default one.
  ///
  /// - Parameters:
  ///   - words: The command line.
  ///   - resource: The resource of a command that takes one as its argument.
  /// - Throws: ``CommandError`` if the directories cannot be used.
  init(_ words: ParsedWords, resource: ResourceAddress? = nil) throws(CommandError) {
    directories = try Directories()
    let resource = resource ?? words[Options.resource]
    self.resource = resource
    let named = words[Options.context]
    // A variable means all other commands of the shell.
    if let resource, named == nil || words.origin(of: Options.context) != .commandLine {
      (context, contextVariable) = (ContextName(of: resource), nil)
    } else {
      context = named ?? .standard
      contextVariable = words.origin(of: Options.context).variable
    }
  }

  /// Whether the command line names a context beside a resource, so that it may be another one.
  var mayBeOfOtherResource: Bool { resource.map { context != ContextName(of: $0) } ?? false }

  /// Another context in the same directories.
  func named(_ name: ContextName) -> ContextLocation {
    var other = self
    (other.context, other.resource) = (name, nil)
    return other
  }

  /// The session file of the context.
  func vault(
    for issuer: TokenIssuer, mayErase: @escaping @Sendable (SessionToken) -> Bool = { _ in true }
  ) -> FileVault {
    FileVault(directory: directories.state, context: context, issuer: issuer, mayErase: mayErase) { [context] found in
      Self.words(for: found, in: context, insteadOf: issuer)
    }
  }

  /// What a session file with the token of another issuer holds, and what to do about it.
  private static func words(
    for found: TokenIssuer, in context: ContextName, insteadOf issuer: TokenIssuer
  ) -> (problem: String, hint: String) {
    let isAtProvider = found.isProvider
    if isAtProvider, !issuer.isProvider {
      return (
        "holds a session at an identity provider.",
        "The file beside it that describes the provider is missing. Log in there again with --provider, or delete the file."
      )
    }
    if issuer.isProvider, isAtProvider, issuer.isClientItself != found.isClientItself {
      return (
        found.isClientItself ? "holds the access of a client, and no user's session." : "holds the session of a user.",
        "Use another --context, or log out first: auth-cli logout --context \(context)"
      )
    }
    if issuer.isProvider {
      return (
        "holds a session \(isAtProvider ? "at another identity provider, or with another client id" : "of a database").",
        "Use another --context, or log out first: auth-cli logout --context \(context)"
      )
    }
    if issuer == .embedded {
      return (
        "holds a session of another database, and AUTH_CLI_AUTHORITY is not set.",
        "Set AUTH_CLI_AUTHORITY to the address at which you logged in, or use another --context. If that "
          + "service no longer exists, delete the file. Nothing was changed."
      )
    }
    return (
      "holds a session of the database on this machine, and AUTH_CLI_AUTHORITY names another one.",
      "Use another --context, or log out: env -u AUTH_CLI_AUTHORITY auth-cli logout --context \(context)"
    )
  }
}

extension ContextName {
  /// The context of a resource: the start of its host, and a part of the hash of its address.
  init(of resource: ResourceAddress) {
    let host = resource.host.filter { $0.isLetter || $0.isNumber || $0 == "." || $0 == "-" }.drop { $0 == "-" }
    let hash = Hex.text(SHA256.hash(Array(resource.text.utf8))).prefix(16)
    self = ContextName("\(host.prefix(40))\(host.isEmpty ? "" : "-")\(hash)") ?? .standard
  }
}
