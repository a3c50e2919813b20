import AuthAccounts
import AuthDevice
import AuthOAuth
import CommandLineKit

/// The kinds of value that the commands take.
enum Kinds {
  /// A user name, for the user of an existing or a new account.
  static let username = typedName()
  /// A user name that completes to the users who are logged in on this device, in any context.
  static let localUser = typedName(listedBy: "contexts --users")
  /// A user name that completes to those whom the user paid, or who paid the user.
  static let payee = name(listedBy: "receipts --short --limit 1000")
  /// A user name that completes for administrators.
  static let account = name(listedBy: "accounts list --short --limit 1000")
  /// A group, which completes for administrators.
  static let group = parsed("a group", Username.rule, listedBy: "accounts groups --short --limit 1000") {
    try? GroupName($0)
  }
  /// The account of a tool, which its users cannot list.
  static let tool = parsed("a user name", Username.rule) { try? Username($0) }
  /// Any text; the backend refuses what cannot be a name, and says why.
  static let displayName = ValueKind("a name", accepted: DisplayName.rule) { $0.text }
  static let text = ValueKind("a text", accepted: "a text in UTF-8") { $0.text }
  static let amount = parsed(
    "an amount",
    "an amount such as 12 or 12.50, with two decimals at most, more than 0 and at most \(Amount.largest)"
  ) { try? Amount($0) }
  static let idempotencyKey = parsed("an idempotency key", IdempotencyKey.rule) { try? IdempotencyKey($0) }
  static let context = parsed(
    "a context", "1 to 64 of the characters A-Z a-z 0-9 . _ -, beginning with a letter or a digit",
    listedBy: "contexts --short", ContextName.init)
  /// A context, or the address of the resource that has one; no context has a name with a colon.
  static let contextOrResource = parsed(
    "a context", "the name of a context, or the address of a resource such as https://mcp.example.com/mcp",
    listedBy: "contexts --short"
  ) { ContextName($0) ?? ResourceAddress($0).map { ContextName(of: $0) } }
  static let resource = parsed(
    "a resource",
    "an https address in ASCII, or an http address of this machine, without a user name or a fragment, such as "
      + "https://mcp.example.com/mcp",
    ResourceAddress.init)
  static let duration = ValueKind.duration()
  static let pageLength = ValueKind.wholeNumber("the length of a page", in: 1...1000)
  static let receipt = ValueKind.serialNumber("the number of a receipt")
  static let event = ValueKind.serialNumber("the number of an event", example: 1_769_851_800_000_000)

  private static func typedName(listedBy: String? = nil) -> ValueKind<String> {
    parsed("a user name", Username.rule, listedBy: listedBy, isRepeated: false) {
      (try? Username($0)) == nil ? nil : $0
    }
  }

  private static func name(listedBy: String) -> ValueKind<Username> {
    parsed("a user name", Username.rule, listedBy: listedBy, isRepeated: false) { try? Username($0) }
  }

  private static func parsed<Value: Sendable>(
    _ noun: String, _ accepted: String, listedBy: String? = nil, isRepeated: Bool = true,
    _ parse: @escaping @Sendable (String) -> Value?
  ) -> ValueKind<Value> {
    ValueKind(noun, accepted: accepted, listedBy: listedBy, isRepeated: isRepeated) { $0.text.flatMap(parse) }
  }
}

/// The options of all commands.
///
/// Only options that several commands have. An option of one command is in the file of that
/// command.
enum Options {
  static let tokenHost = Option.repeated(
    "host", "HOST", hostName, "A host that gets the token, with its port if the address has one", isRequired: true)
  // A whole address would match no request, and the helper would silently give no answer.
  private static let hostName = ValueKind<String>(
    "a host", accepted: "its name, and its port if the address has one, such as git.example.com"
  ) { word in ValueKind<String>.text("a host", maximumBytes: 256).convert(word).flatMap { $0.contains("/") ? nil : $0 }
  }

  static let json = Option.flag(
    "json",
    "Print JSON: one document on a line, with a version; it contains a secret only if the command's purpose is to print it"
  )
  static let quiet = Option.flag(
    "quiet", short: "q", "Print only errors, and the document of --json; the exit status tells the result")
  static let context = Option.optional(
    "context", "NAME", Kinds.context, "Use the session with this name; contexts keep several logins at once",
    environment: "AUTH_CLI_CONTEXT")
  static let resource = Option.optional(
    "resource", "URL", Kinds.resource,
    "Use the login for this resource, such as an MCP server: it has a context of its own")
  static let noColor = Option.flag("no-color", "Print without colour")

  static let verbose = Option.flag(
    "verbose", "List the requests to an identity provider on standard error, without secrets")

  static let short = Option.flag("short", "Print the names alone, one on a line")

  static let passwordFromInput = Option.flag("password-stdin", "Read the password from standard input, one line")
  static let codeFromInput = Option.flag("code-stdin", "Read the code from standard input, one line")

  static let group = Option.optional("group", "GROUP", Kinds.group, "Require a member of this group")

  static let limit = Option.standard(
    "limit", "N", Kinds.pageLength, "Show at most this many", standard: pageLength, shownAs: "\(pageLength)")
  /// The default length of a page.
  static let pageLength = 20
}

/// The positional arguments of all commands; one of a single command is in its file.
enum Arguments {
  static let account = Argument.required("USER", Kinds.account, "The account")
  static let group = Argument.required("GROUP", Kinds.group, "The group")
}
