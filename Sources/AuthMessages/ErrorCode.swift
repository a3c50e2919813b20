/// The table of errors, for those that the program itself makes.
///
/// The raw value is the stable name in JSON documents. Where a code has several messages, the raw
/// value of each other one goes on after a `+`.
package enum ErrorCode: String, Hashable, Sendable, CaseIterable {
  case accountDeleted = "session_ended+account_deleted"
  case accountDisabled = "account_disabled"
  case alreadyLoggedIn = "already_logged_in"
  case busy
  case cancelled
  case challengeOver = "challenge_over"
  case clientMissing = "client_id_missing"
  case codeMissing = "code_missing"
  case commandMissing = "command_missing"
  case commandNotRun = "command_not_run"
  case contextInUse = "context_in_use"
  case csvNotJSON = "csv_not_json"
  case homeNotText = "home_not_text"
  case homeTooLong = "home_too_long"
  case locked
  case lockedRecovery = "locked+recovery"
  case loginDenied = "login_denied"
  case loginExpired = "login_expired"
  case loginForeign = "login_not_answered"
  case loginOvertaken = "overtaken+login"
  case logoutAtProviderIncomplete = "logout_incomplete+provider"
  case logoutFailed = "logout_incomplete+failed"
  case logoutIncomplete = "logout_incomplete"
  case logoutNotErased = "logout_incomplete+not_erased"
  case memoryNotClosed = "memory_not_closed"
  case noAccessToken = "no_access_token"
  case noHome = "no_home"
  case noPaymentsAtProvider = "no_payments_at_provider"
  case noScreen = "no_screen"
  case noTerminalForLogin = "no_terminal+login"
  case notAdministrator = "not_permitted+role"
  case notAgreed = "not_confirmed+yes"
  case notAtProvider = "not_at_provider"
  case notConfirmed = "not_confirmed"
  case notLoggedIn = "not_logged_in"
  case notPermitted = "not_permitted"
  case nothingEntered = "nothing_entered"
  case optionAtProvider = "option_not_at_provider"
  case otherSessionsNotEnded = "other_sessions_not_ended"
  case otherUserLoggedIn = "other_user_logged_in"
  case outputFailed = "output_failed"
  case ownStepMissing = "own_step_missing"
  case overtaken
  case passwordChangedMeanwhile = "password_changed_meanwhile"
  case passwordChangedSessionEnded = "password_changed_session_ended"
  case passwordChangedSessionKept = "password_changed_session_kept"
  case passwordNotRecent = "password_not_recent"
  case passwordsDiffer = "passwords_differ"
  case providerMissing = "provider_missing"
  case providerSettingsUnusable = "provider_settings_unusable"
  case redirectPortUnusable = "redirect_port_unusable"
  case screenNotJSON = "screen_not_json"
  case screenTooPlain = "screen_too_plain"
  case sessionEnded = "session_ended"
  case sessionFileCorrupt = "session_file_corrupt"
  case sessionFileLinked = "session_file_linked"
  case sessionFileUnusable = "session_file_unusable"
  case superseded = "session_ended+superseded"
  case throttled
  case throttledAtProvider = "throttled+provider"
  case throttledCode = "throttled+code"
  case throttledRecovery = "throttled+recovery"
  case userAtProvider = "option_not_at_provider+user"
  case wordsUnreadable = "unreadable_input+words"
  case wrongCode = "credentials_not_accepted+code"
  case wrongCredentials = "credentials_not_accepted+login"
  case wrongPassword = "credentials_not_accepted"
  case wrongRecovery = "credentials_not_accepted+recovery"

  /// The stable name for programs.
  package var code: String { String(rawValue.prefix { $0 != "+" }) }

  package var row: ErrorRow {
    switch self {
    // Status 1: the answer is no
    case .alreadyLoggedIn: .no("a user is logged in already").hint("Log out first: \(run: "logout")")
    case .notAdministrator:
      .no("{USER} is not an administrator")
        .hint("Only an administrator can do this.")
    case .notAgreed:
      .no("nothing was changed: the answer was not yes").hint("Type yes, or use --yes.")
    case .notConfirmed:
      .no("nothing was deleted: that is not the name of the account").hint("Type {NAME}, or use --yes.")
    case .notPermitted: .no("only an administrator may do this").hint("Ask an administrator to do it.")
    case .otherUserLoggedIn:
      .no("{USER} is logged in here").hint("Log out first, or switch users with: \(run: "login", "{NAME}", "--switch")")
    case .ownStepMissing:
      .no("you have no second step yourself, so you would shut yourself out")
        .hint("Set yours up first: \(run: "two-step", "on")")
    case .passwordChangedMeanwhile:
      .no("the password of {USER} was changed elsewhere at the same time; your new one was not set")
        .hint("Run the command again with the password that was set there.")
    case .contextInUse:
      .no("a user is logged in in context {CONTEXT}").hint(
        "Log out first: \(runByOthers: "logout", "--context", "{NAME}")")
    // Status 2: the command line or the input
    case .clientMissing:
      .usage("{ISSUER} needs to know the program by its client id")
        .hint("Register the program there, and give its id with --client-id.")
    case .commandMissing:
      .usage("there is no command to run").hint("Write it after '--': \(run: "run", "--", "COMMAND")")
    case .noPaymentsAtProvider:
      .usage("this login is at {ISSUER}, which has no payments")
        .hint("Only a login at a database has this command; choose another context with --context.")
    case .notAtProvider:
      .usage("context {CONTEXT} is not at an identity provider, so it has no access tokens")
        .hint("Log in at one: \(run: "login", "--provider", "ISSUER", "--client-id", "ID")")
    case .optionAtProvider:
      .usage("{OPTION} does not apply to a login at {ISSUER}").hint(
        "Omit it, or choose another context with --context.")
    case .providerMissing:
      .usage("{OPTION} needs --provider").hint("Name the identity provider with --provider.")
    case .userAtProvider:
      .usage("'{USER}' is not needed: context {CONTEXT} is at an identity provider, which asks for the user itself")
        .hint("Omit the name. For an account of a database choose another context with --context.")
    case .csvNotJSON: .usage("--csv and --json cannot be used together").hint("Give one of them.")
    case .homeNotText:
      .usage("{VARIABLE} is {PATH}, which is not UTF-8 text").hint("Set AUTH_CLI_HOME to a path in UTF-8.")
    case .homeTooLong:
      .usage("the path {PATH} is too long: {RULE}")
        .hint("Choose a shorter one with AUTH_CLI_HOME; nothing was changed.")
    case .noScreen:
      .usage("the full-screen program needs a terminal for its input and output").hint(Self.commandsInstead)
    case .nothingEntered: .usage("nothing was entered").hint(Self.again)
    case .passwordsDiffer: .usage("the two passwords are not the same").hint(Self.again)
    case .screenNotJSON: .usage("the full-screen program prints no JSON").hint(Self.commandsInstead)
    case .screenTooPlain:
      .usage("the terminal cannot show a full-screen program: TERM is {TERM}").hint(Self.commandsInstead)
    case .noTerminalForLogin:
      .usage("there is no terminal, and a login at an identity provider needs you")
        .hint("Run the command in a terminal. Nothing was opened.")
    // Status 3: cannot tell or cannot save
    case .busy: .cannotTell("the session is busy with another request").hint("Try again; nothing was changed.")
    case .cancelled: .cannotTell("the command was cancelled").hint("Look with \(run: "status").")
    case .commandNotRun:
      .cannotTell("{COMMAND} cannot be run: {REASON}").hint("Check its name and its permissions.")
    case .noAccessToken:
      .cannotTell("the provider granted no valid access token").hint("Try again in a minute.")
    case .providerSettingsUnusable:
      .cannotTell("{FILE} cannot be used: it does not describe an identity provider")
        .hint("Delete what is remembered, and log in again: \(runByOthers: "contexts", "forget", "{CONTEXT}")")
    case .loginOvertaken:
      .cannotTell("another login or logout happened at the same time").hint("Check who is logged in, and try again.")
    case .logoutAtProviderIncomplete:
      .cannotTell("logged out on this device, but {ISSUER} did not end {TOKENS}")
        .hint("A copy of a token works until it expires. To end the session, use the provider's own pages.")
    case .logoutFailed: .cannotTell("the logout failed: {REASON}").hint(Self.logOutAgain)
    case .logoutIncomplete:
      .cannotTell("logged out on this device, but {REASON}")
        .hint(
          "The session still expires by itself within {TIME} without activity. To end it sooner, remove the cause, log in, and run: \(run: "logout", "--all")"
        )
    case .logoutNotErased: .cannotTell("the session is ended, but {REASON}").hint(Self.logOutAgain)
    case .memoryNotClosed:
      .cannotTell("the memory of this process cannot be closed to others: {REASON}")
        .hint("Allow the calls prctl and setrlimit where this program runs.")
    case .noHome:
      .cannotTell("HOME is not set to an absolute path, so there is no place for sessions and accounts")
        .hint("Set HOME, or AUTH_CLI_HOME to the directory to use.")
    case .otherSessionsNotEnded:
      .cannotTell("logged out on this device, but the end of your other sessions is not confirmed: {REASON}")
        .hint("Log in and end them: \(run: "logout", "--all")")
    case .outputFailed: .cannotTell(meaning: "the output could not be written")
    case .redirectPortUnusable:
      .cannotTell("a browser cannot return to this program on {PORT}: {REASON}")
        .hint("Choose another port with --redirect-port, or log in with --paste.")
    case .overtaken:
      .cannotTell("another process changed this session at the same time")
        .hint("Look with \(run: "status"), then try again.")
    case .passwordChangedSessionKept:
      .cannotTell(
        "the password of {USER} is changed and all other sessions are ended; this session is still active, but could not be renewed: {REASON}"
      )
      .hint("Use the new password from now on. To renew this session with it: \(run: "reauth")")
    case .sessionFileCorrupt: .cannotTell(meaning: "the session file cannot be used")
    case .sessionFileLinked:
      .cannotTell(
        "{FILE} is a symbolic link to {TARGET}, so nothing was logged out; a session in that file may still be active"
      )
      .hint(
        "Move the file itself to where the link is, then log out again. Or remove the link, log in, and: \(run: "logout", "--all")"
      )
    case .sessionFileUnusable: .cannotTell(meaning: "the session file cannot be read or written")
    case .wordsUnreadable:
      .cannotTell("the arguments cannot be read, because the process cannot open /proc/self/cmdline")
        .hint("Allow it to open more files, such as with 'ulimit -n 1024', and check that /proc is mounted.")
    // Status 4: log in first
    case .accountDeleted:
      .logInFirst("{REASON}", meaning: "the account was deleted")
        .hint("This name cannot be used again. Create another account with: \(run: "register", "USER")")
    case .accountDisabled:
      .logInFirst("{REASON}", meaning: "the session ended because an administrator disabled the account")
        .hint(
          "An administrator can enable it: \(runByOthers: "accounts", "enable", "USER"). Then log in again: \(run: "login", "USER")"
        )
    case .notLoggedIn: .logInFirst("nobody is logged in").hint("Log in first: \(run: "login", "USER")")
    case .passwordChangedSessionEnded:
      .logInFirst(
        "the password of {USER} is changed and all other sessions are ended; this session ended too: {REASON}"
      )
      .hint("Log in with the new password: \(run: "login", "{USER}")")
    case .passwordNotRecent:
      .logInFirst("you entered your password too long ago for this")
        .hint("Enter it again: \(run: "reauth"), or \(run: "reauth", "--password-stdin") in a script")
    case .sessionEnded:
      .logInFirst("{REASON}", meaning: "the session ended; the message says why").hint(Self.logInAgain)
    case .superseded: .logInFirst("this session was replaced by a newer one").hint(Self.logInAgain)
    // Status 5: wrong credentials
    case .challengeOver:
      .credentials("too many wrong codes, or too late: the password is needed again")
        .hint("Begin again. A code that was wrong counts as a wrong password.")
    case .codeMissing:
      .credentials("the password is right, and a code is needed too")
        .hint("In a script, write the code on the line after the password. This was not counted as a wrong guess.")
    case .loginDenied:
      .credentials("the login was not allowed at the provider").hint("Log in again, and allow the access.")
    case .loginExpired:
      .credentials("the provider did not accept the login; it may have expired").hint("Log in again: \(run: "login")")
    case .loginForeign:
      .credentials("the address does not answer this login")
        .hint("Paste the whole address to which the browser returned after this login.")
    case .wrongCode:
      .credentials("wrong code")
        .hint("Each code works once, for about a minute. Wait for the next one, and check the clock of the device.")
    case .wrongCredentials:
      // It is not told which of the two is wrong.
      .credentials("the name and the password were not accepted")
        .hint(
          "Check both and try again; after five wrong passwords in a row you must wait. Forgotten? \(run: "recover")")
    case .wrongPassword:
      .credentials("wrong password").hint("Try again; after five wrong passwords in a row you must wait.")
    case .wrongRecovery:
      .credentials("the name and the code were not accepted")
        .hint("Check both. A code works once; a code from an administrator works for a limited time.")
    // Status 6: too many attempts
    case .locked:
      .throttled("too many wrong passwords: the account is locked")
        .hint(
          "Use a recovery code: \(run: "recover", "USER"); or ask an administrator: \(runByOthers: "accounts", "unlock", "USER")"
        )
    case .lockedRecovery:
      .throttled("the name and the code were not accepted, and the account is locked")
        .hint(
          "A right code is accepted. An administrator can unlock the account: \(runByOthers: "accounts", "unlock", "USER")"
        )
    case .throttled: .throttled("too many wrong passwords, so this one was not checked").hint("Try again in {TIME}.")
    case .throttledAtProvider:
      .throttled("the provider asks to wait, so nothing was checked").hint("Try again in {TIME}.")
    case .throttledCode:
      .throttled("too many wrong passwords or codes, so this one was not checked").hint("Try again in {TIME}.")
    case .throttledRecovery:
      // A right one would have been accepted.
      .throttled("the name and the code were not accepted, after too many wrong ones")
        .hint("Try again in {TIME}. A right code is accepted at once.")
    }
  }

  private static let again: Hint = "Run the command again; nothing was changed."
  private static let commandsInstead: Hint =
    "Use the commands instead, such as: \(run: "home"), \(run: "watch"). For all of them: \(run: "help")"
  private static let logInAgain: Hint = "Log in again: \(run: "login", "USER")"
  private static let logOutAgain: Hint = "Remove the cause, then log out again: \(run: "logout")"
}
