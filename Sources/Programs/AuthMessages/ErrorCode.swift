package import CommandLineKit

/// The errors that the program itself reports, each with its code, exit status, message and hint.
///
/// Several of them may have the same code.
package enum ErrorCode: Hashable, Sendable, CaseIterable {
  case accessTokenRefused, accountDeleted, accountDisabled, alreadyLoggedIn, assertionFileUnusable, busy,
    calledAsAskpass, cancelled, challengeOver, clientDocumentUnread, clientForgotten, clientMissing,
    clientProofMissing, clientRefused, codeMissing, commandMissing, commandNotRun, contextInUse, contextOfOther,
    csvNotJSON, deviceLoginMissing, directoryUnknown, homeNotText, homeTooLong, idTokenExpired, idTokenMissing,
    kubectlVersionUnknown, locked, lockedRecovery, loginDenied, loginExpired, loginForeign, loginOvertaken,
    logoutAtProviderIncomplete, logoutFailed, logoutIncomplete, logoutNotErased, mcpAccessRefused,
    mcpAccessTooSmall, mcpLineTooLong, mcpNoAnswer, mcpNotMessage, mcpSessionEnded, mcpUnreachable, memoryNotClosed,
    noAccessToken, noAccounts, noHome, noPaymentsAtProvider, noScreen, notAdministrator, notAgreed, notAtProvider,
    notAtResource, notConfirmed, noTerminalForLogin, notInGroup, notLoggedIn, notPermitted, noUserInContext,
    optionAtProvider, optionWithoutUser, otherResource, otherSessionsNotEnded, otherUserLoggedIn, overtaken,
    ownStepMissing, parameterTwice, passwordChangedMeanwhile, passwordChangedSessionEnded,
    passwordChangedSessionKept, passwordNotProven, passwordNotRecent, passwordsDiffer, providerMissing,
    providerSettingsUnusable, redirectPortUnusable, resourceMissing, resourceTwice, screenNotJSON, screenTooPlain,
    secretNeedsProvider, sessionEnded, sessionFileCorrupt, sessionFileLinked, sessionFileSetAside,
    sessionFileSetAsideAtProvider, sessionFileUnusable, superseded, throttled, throttledAtProvider, throttledCode,
    throttledRecovery, tokenFileNotWritten, userAtProvider, userNotIdentified, wordsUnreadable, wrongCode,
    wrongCredentials, wrongPassword, wrongRecovery

  /// The stable name for programs.
  package var code: String { row.code }

  /// Finds the first error with this code, or returns nil.
  package init?(code: String) {
    guard let found = Self.allCases.first(where: { $0.code == code }) else { return nil }
    self = found
  }

  /// The status, code, message and hint of this error, before its values are filled in.
  ///
  /// ``CommandError/filled(_:)`` replaces each `{NAME}`, first in the message and then in the hint.
  package var row: CommandError {
    switch self {
    // Status 1: the answer is no
    case .alreadyLoggedIn:
      .no("already_logged_in", "a user is logged in already").hint("Log out first: \(run: "logout")")
    case .notAdministrator:
      .no("not_permitted", "{USER} is not an administrator")
        .hint("Only an administrator can do this.")
    case .notAgreed:
      .no("not_confirmed", "nothing was changed: the answer was not yes").hint("Type yes, or use --yes.")
    case .notConfirmed:
      .no("not_confirmed", "nothing was deleted: that is not the name of the account").hint(
        "Type {NAME}, or use --yes.")
    case .notInGroup:
      .no("not_in_group", "{USER} is not in the group {GROUP}")
        .hint("An administrator can change that: \(runByOthers: "accounts", "join", "{GROUP}", "{NAME}")")
    case .notPermitted: .no("not_permitted", "only an administrator may do this").hint("Ask an administrator to do it.")
    case .otherUserLoggedIn:
      .no("other_user_logged_in", "{USER} is logged in here").hint(
        "Log out first, or switch users with: \(run: "login", "--switch")")
    case .ownStepMissing:
      .no("own_step_missing", "you have no second step yourself, so you would shut yourself out")
        .hint("Set yours up first: \(run: "two-step", "on")")
    case .passwordChangedMeanwhile:
      .no(
        "password_changed_meanwhile",
        "the password of {USER} was changed elsewhere at the same time; your new one was not set"
      )
      .hint("Run the command again with the password that was set there.")
    case .contextInUse:
      .no("context_in_use", "context {CONTEXT} is still logged in").hint(
        "Log out first: \(runByOthers: "logout", "--context", "{NAME}")")
    case .userNotIdentified:
      .no("user_not_identified", "{ISSUER} does not say who is logged in here, so no login can be one of the same user")
        .hint("Switch to a new login with: \(run: "login", "--switch")")
    case .mcpAccessTooSmall:
      .no("mcp_access_too_small", "the server {HOST} requires more access: {SCOPES}").hint(
        "Log in for it: \(run: "login", "--scope", "{SCOPES}")")
    // Status 2: the command line or the input
    case .calledAsAskpass:
      .usage("called_as_askpass", "git asks for a password here, and such a program would give the token to any host")
        .hint(
          "Unset GIT_ASKPASS and core.askPass, and see how git gets the token: \(run: "help", "credential", "git")")
    case .mcpLineTooLong:
      .usage("mcp_line_too_long", "a message is longer than {SIZE}, and was not sent").hint("Send less at a time.")
    case .mcpNotMessage:
      .usage("mcp_not_a_message", "a line is not a JSON-RPC message, and was not sent").hint(
        "Each line must be one JSON object; an MCP client writes them.")
    case .clientMissing:
      .usage("client_id_missing", "a login at {ISSUER} needs a client id")
        .hint("Register auth-cli there, and pass the client id that you get with --client-id.")
    case .clientDocumentUnread:
      .usage("client_document_unread", "{ISSUER} does not say that it reads the documents of clients")
        .hint("Omit --client-id to register a client there, or pass an id that it gave you.")
    case .contextOfOther:
      .usage("context_of_other", "context {CONTEXT} is not for {RESOURCE}")
        .hint("Omit --context, or choose another one.")
    case .clientProofMissing:
      .usage("client_proof_missing", "a client that acts for itself needs a secret or a signed assertion")
        .hint("Pass the secret with --client-secret-stdin, or name the file of the assertion with --assertion-file.")
    case .noUserInContext:
      .usage(
        "no_user_in_context", "context {CONTEXT} has the access of the client {CLIENT} at {ISSUER}, and of no user"
      )
      .hint("Choose another context with --context.")
    case .commandMissing:
      .usage("command_missing", "there is no command to run").hint(
        "Write it after '--': \(run: "run", "--", "COMMAND")")
    case .deviceLoginMissing:
      .usage("device_login_missing", "{ISSUER} offers no login with a code")
        .hint("Use --browser, or --paste for a browser elsewhere.")
    case .noPaymentsAtProvider:
      .usage("no_payments_at_provider", "this command is for local accounts, and this context is at {ISSUER}")
        .hint("Choose another context with --context.")
    case .optionAtProvider:
      .usage("option_not_at_provider", "{OPTION} does not apply to a login at {ISSUER}").hint(
        "Omit it, or choose another context with --context.")
    case .optionWithoutUser:
      .usage("option_without_user", "{OPTION} does not apply to the access of a client, which is no session of a user")
        .hint("Omit it, or choose another context with --context.")
    case .otherResource:
      .usage("other_resource", "--resource names {OTHER}, and the address is {RESOURCE}").hint("Omit --resource.")
    case .parameterTwice:
      .usage("parameter_twice", "--parameter {NAME} is given twice").hint(
        "Give it once; only resource may be repeated.")
    case .providerMissing:
      .usage("provider_missing", "{OPTION} needs {OPTIONS}").hint("Name where to log in.")
    case .resourceMissing:
      .usage("resource_missing", "{OPTION} needs --resource").hint("Name the resource with --resource.")
    case .resourceTwice:
      .usage("resource_twice", "--parameter resource and --resource cannot be used together").hint(
        "Omit --parameter resource.")
    case .secretNeedsProvider:
      .usage("secret_needs_provider", "--client-secret-stdin with --resource needs --client-id and --provider")
        .hint("Name the client and the issuer that gave it the secret: no other one gets it.")
    case .userAtProvider:
      .usage(
        "option_not_at_provider",
        "a user name is not needed: context {CONTEXT} is at an identity provider, which asks for the user itself"
      )
      .hint("Omit the name. For an account of a database choose another context with --context.")
    case .csvNotJSON: .usage("csv_not_json", "--csv and --json cannot be used together").hint("Give one of them.")
    case .homeNotText:
      .usage("home_not_text", "{VARIABLE} is {PATH}, which is not UTF-8 text").hint(
        "Set AUTH_CLI_HOME to a path in UTF-8.")
    case .homeTooLong:
      .usage("home_too_long", "the path {PATH} is too long: {RULE}")
        .hint("Choose a shorter one with AUTH_CLI_HOME; nothing was changed.")
    case .noScreen:
      .usage("no_screen", "the full-screen program needs a terminal for its input and output").hint(
        Self.commandsInstead)
    case .passwordsDiffer: .usage("passwords_differ", "the two passwords are not the same").hint(Self.again)
    case .screenNotJSON: .usage("screen_not_json", "the full-screen program prints no JSON").hint(Self.commandsInstead)
    case .screenTooPlain:
      .usage("screen_too_plain", "the terminal cannot show a full-screen program: TERM is {TERM}").hint(
        Self.commandsInstead)
    case .noTerminalForLogin:
      .usage("no_terminal", "a login at an identity provider needs a terminal, and there is none")
        .hint(
          "Add --browser to open a browser on this machine, or --device to show a code for a browser elsewhere; or run the command in a terminal. Nothing was opened."
        )
    // Status 3: cannot tell or cannot save
    case .mcpNoAnswer:
      .cannotTell("mcp_no_answer", "the server {HOST} did not answer the request: {REASON}").hint(
        "Check the address, or try again later.")
    case .mcpSessionEnded:
      .cannotTell("mcp_session_ended", "the server {HOST} has ended the MCP session").hint(
        "Reconnect this server in the MCP client. The login is still valid.")
    case .mcpUnreachable: .cannotTell("mcp_unreachable", "the server {HOST} cannot be reached")
    case .busy: .cannotTell("busy", "the session is busy with another request").hint("Try again; nothing was changed.")
    case .cancelled: .cannotTell("cancelled", "the command was cancelled").hint("Check with \(run: "status").")
    case .commandNotRun:
      .cannotTell("command_not_run", "{COMMAND} cannot be run: {REASON}").hint("Check its name and its permissions.")
    case .kubectlVersionUnknown:
      .usage("kubectl_version_unknown", "kubectl asks for {VERSION}, which this version does not know").hint(
        "Write the apiVersion client.authentication.k8s.io/v1 or client.authentication.k8s.io/v1beta1 into the kubeconfig."
      )
    case .assertionFileUnusable:
      .cannotTell("assertion_file_unusable", "the assertion in {FILE} cannot be used: {REASON}")
        .hint("Check the file. It is read each time an access token is requested.")
    case .directoryUnknown:
      .cannotTell("directory_unknown", "the current directory cannot be determined: {REASON}").hint(
        "Change to another directory, or write the whole path.")
    case .tokenFileNotWritten:
      .cannotTell("token_file_not_written", "{FILE} cannot be written: {REASON}").hint(
        "The file is as it was. Check its directory, or choose another one.")
    case .noAccessToken:
      .cannotTell("no_access_token", "the provider granted no valid access token").hint("Try again in a minute.")
    case .passwordNotProven:
      .cannotTell(
        "password_not_proven", "the login is renewed, but {ISSUER} does not say that you entered your password for it"
      )
      .hint("Try again, and enter your password there. Some providers never say so; they cannot confirm a password.")
    case .providerSettingsUnusable:
      .cannotTell("provider_settings_unusable", "{FILE} cannot be used: it does not describe an identity provider")
        .hint("Delete what is remembered, and log in again: \(runByOthers: "contexts", "forget", "{CONTEXT}")")
    case .loginOvertaken:
      .cannotTell("overtaken", "another login or logout happened at the same time").hint(
        "Check who is logged in, and try again.")
    case .logoutAtProviderIncomplete:
      .cannotTell("logout_incomplete", "logged out on this device, but {ISSUER} did not end {TOKENS}")
        .hint("A copy of a token works until it expires. To end the session, use the provider's own pages.")
    case .logoutFailed: .cannotTell("logout_incomplete", "the logout failed: {REASON}").hint(Self.logOutAgain)
    case .logoutIncomplete:
      .cannotTell("logout_incomplete", "logged out on this device, but {REASON}")
        .hint(
          "The session still expires by itself within {TIME} without activity. To end it sooner, remove the cause, log in, and run: \(run: "logout", "--all")"
        )
    case .logoutNotErased: .cannotTell("logout_incomplete", "the session is ended, but {REASON}").hint(Self.logOutAgain)
    case .memoryNotClosed:
      .cannotTell("memory_not_closed", "the memory of this process cannot be closed to others: {REASON}")
        .hint("Allow the calls prctl and setrlimit where this program runs.")
    case .noHome:
      .cannotTell("no_home", "HOME is not set to an absolute path, so there is no place for sessions and accounts")
        .hint("Set HOME, or AUTH_CLI_HOME to the directory to use.")
    case .otherSessionsNotEnded:
      .cannotTell(
        "other_sessions_not_ended",
        "logged out on this device, but the end of your other sessions is not confirmed: {REASON}"
      )
      .hint("Log in and end them: \(run: "logout", "--all")")
    case .redirectPortUnusable:
      .cannotTell("redirect_port_unusable", "a browser cannot return to this program on {PORT}: {REASON}")
        .hint("Free the port, choose another one with --redirect-port or --redirect-uri, or log in with --paste.")
    case .overtaken:
      .cannotTell("overtaken", "another process changed this session at the same time")
        .hint("Check with \(run: "status"), then try again.")
    case .passwordChangedSessionKept:
      .cannotTell(
        "password_changed_session_kept",
        "the password of {USER} is changed and all other sessions are ended; this session is still active, but could not be renewed: {REASON}"
      )
      .hint("Use the new password from now on. To renew this session with it: \(run: "reauth")")
    case .sessionFileCorrupt: .cannotTell("session_file_corrupt", "the session file cannot be used")
    case .sessionFileLinked:
      .cannotTell(
        "session_file_linked",
        "{FILE} is a symbolic link to {TARGET}, so nothing was logged out; a session in that file may still be active"
      )
      .hint(
        "Move the file itself to where the link is, then log out again. Or remove the link, log in, and: \(run: "logout", "--all")"
      )
    case .sessionFileSetAside:
      .cannotTell(
        "session_file_set_aside", "no session could be read in {FILE}, so none was ended; one may still be active"
      )
      .hint("The file was set aside. End your sessions: \(run: "login", "USER"), then \(run: "logout", "--all")")
    case .sessionFileSetAsideAtProvider:
      .cannotTell(
        "session_file_set_aside", "{FILE} could not be used, so it is not certain that its session is ended"
      )
      .hint("The file was set aside. To end the session, use the pages of {ISSUER}.")
    case .sessionFileUnusable: .cannotTell("session_file_unusable", "the session file cannot be read or written")
    case .wordsUnreadable:
      .cannotTell(
        "unreadable_input", "the arguments cannot be read, because the process cannot open /proc/self/cmdline"
      )
      .hint("Allow it to open more files, such as with 'ulimit -n 1024', and check that /proc is mounted.")
    // Status 4: log in first
    case .mcpAccessRefused:
      .logInFirst("mcp_access_refused", "the server {HOST} also refuses a new access token").hint(
        "Log in again: \(run: "login")")
    case .accessTokenRefused:
      .logInFirst("access_token_refused", "the provider grants only the access token that was refused")
        .hint("Log in again: \(run: "login")")
    case .accountDeleted:
      .logInFirst("session_ended", "{the account was deleted}")
        .hint("This name cannot be used again. Create another account with: \(run: "register", "USER")")
    case .accountDisabled:
      .logInFirst("account_disabled", "{the session ended because an administrator disabled the account}")
        .hint(
          "An administrator can enable it: \(runByOthers: "accounts", "enable", "USER"). Then log in again: \(run: "login", "USER")"
        )
    case .clientRefused:
      .logInFirst("client_refused", "the client {CLIENT} is not accepted: {REASON}").hint(
        "Check the client at the provider.")
    case .clientForgotten:
      .logInFirst("client_forgotten", "{ISSUER} does not know the client any more that this program registered there")
        .hint("Log in again, which registers another one: \(run: "login")")
    case .idTokenExpired:
      .logInFirst("id_token_expired", "the ID token has expired, and the provider sends another one only with a login")
        .hint("Log in again: \(run: "login")")
    case .idTokenMissing:
      .logInFirst("id_token_missing", "the provider sent no ID token with the login").hint(
        "Log in with the scope openid, if the provider supports OpenID Connect: \(run: "login", "--scope", "openid offline_access")"
      )
    case .notAtProvider:
      .logInFirst("not_at_provider", "context {CONTEXT} is not at an identity provider, so it has no access tokens")
        .hint(
          "Choose a login with --context or --resource ('contexts' lists them), or log in at one: \(run: "login", "--provider", "ISSUER", "--client-id", "ID")"
        )
    case .notAtResource:
      .logInFirst("not_logged_in", "nobody is logged in for {RESOURCE}").hint("Log in with: \(run: "login")")
    case .noAccounts:
      .logInFirst("not_logged_in", "nobody is logged in")
        .hint("Register the first account: \(run: "register", "USER")")
    case .notLoggedIn: .logInFirst("not_logged_in", "nobody is logged in").hint("Log in first: \(run: "login", "USER")")
    case .passwordChangedSessionEnded:
      .logInFirst(
        "password_changed_session_ended",
        "the password of {USER} is changed and all other sessions are ended; this session ended too: {REASON}"
      )
      .hint("Log in with the new password: \(run: "login", "{USER}")")
    case .passwordNotRecent:
      .logInFirst("password_not_recent", "you entered your password too long ago for this")
        .hint("Enter it again: \(run: "reauth"), or \(run: "reauth", "--password-stdin") in a script")
    case .sessionEnded:
      .logInFirst("session_ended", "{the session ended; the message says why}").hint(Self.logInAgain)
    case .superseded: .logInFirst("session_ended", "this session was replaced by a newer one").hint(Self.logInAgain)
    // Status 5: wrong credentials
    case .challengeOver:
      .credentials(
        "challenge_over",
        "this login is no longer open: too many wrong codes, too late, or too many logins at the same time"
      )
      .hint("Start again with your password. Each wrong code counts as a wrong password.")
    case .codeMissing:
      .credentials("code_missing", "the password is right, and a code is needed too")
        .hint("In a script, write the code on the line after the password. This was not counted as a wrong guess.")
    case .loginDenied:
      .credentials("login_denied", "the login was not allowed at the provider").hint(
        "Log in again, and allow the access.")
    case .loginExpired:
      .credentials("login_expired", "the provider did not accept the login; it may have expired").hint(
        "Log in again: \(run: "login")")
    case .loginForeign:
      .credentials("login_not_answered", "the address does not belong to this login")
        .hint("Paste the whole address to which the browser returned after this login.")
    case .wrongCode:
      .credentials("credentials_not_accepted", "wrong code")
        .hint("Each code works once, for about a minute. Wait for the next one, and check the clock of the device.")
    case .wrongCredentials:
      // It is not told which of the two is wrong.
      .credentials("credentials_not_accepted", "the name and the password were not accepted")
        .hint(
          "Check both and try again; after five wrong passwords in a row you must wait. Forgotten? \(run: "recover")")
    case .wrongPassword:
      .credentials("credentials_not_accepted", "wrong password").hint(
        "Try again; after five wrong passwords in a row you must wait.")
    case .wrongRecovery:
      .credentials("credentials_not_accepted", "the name and the code were not accepted")
        .hint("Check both. A code works once; a code from an administrator works for a limited time.")
    // Status 6: too many attempts
    case .locked:
      .throttled("locked", "too many wrong passwords: the account is locked")
        .hint(
          "Use a recovery code: \(run: "recover", "USER"); or ask an administrator: \(runByOthers: "accounts", "unlock", "USER")"
        )
    case .lockedRecovery:
      .throttled("locked", "the name and the code were not accepted, and the account is locked")
        .hint(
          "A correct code is still accepted. An administrator can unlock the account: \(runByOthers: "accounts", "unlock", "USER")"
        )
    case .throttled:
      .throttled("throttled", "too many wrong passwords, so this one was not checked").hint("Try again in {TIME}.")
    case .throttledAtProvider:
      .throttled("throttled", "the provider asks to wait").hint("Try again in {TIME}.")
    case .throttledCode:
      .throttled("throttled", "too many wrong passwords or codes, so this one was not checked").hint(
        "Try again in {TIME}.")
    case .throttledRecovery:
      // A right one would have been accepted.
      .throttled("throttled", "the name and the code were not accepted, after too many wrong ones")
        .hint("Try again in {TIME}. A correct code is accepted immediately.")
    }
  }

  private static let again: Hint = "Run the command again; nothing was changed."
  private static let commandsInstead: Hint =
    "Use the commands instead, such as: \(run: "home"), \(run: "watch"). For all of them: \(run: "help")"
  private static let logInAgain: Hint = "Log in again: \(run: "login", "USER")"
  private static let logOutAgain: Hint = "Remove the cause, then log out again: \(run: "logout")"
}

// Short forms for the table above, one for each exit status. A row without a hint is for errors
// that bring their own message and hint.
extension CommandError {
  static func no(_ code: String, _ message: String) -> Self { Self(.no, code, message, hint: "") }
  static func usage(_ code: String, _ message: String) -> Self { Self(.usage, code, message, hint: "") }
  static func cannotTell(_ code: String, _ message: String) -> Self { Self(.cannotTell, code, message, hint: "") }
  static func logInFirst(_ code: String, _ message: String) -> Self { Self(.logInFirst, code, message, hint: "") }
  static func credentials(_ code: String, _ message: String) -> Self { Self(.credentials, code, message, hint: "") }
  static func throttled(_ code: String, _ message: String) -> Self { Self(.throttled, code, message, hint: "") }

  fileprivate func hint(_ hint: Hint) -> Self { withHint(hint) }
}
