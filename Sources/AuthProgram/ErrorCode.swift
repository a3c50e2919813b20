import AuthBackend
import AuthMessages
import CommandLineKit
import TextFormat

/// The codes of errors in JSON documents: stable names for programs, each with its exit status and
/// what it means.
///
/// Every error that the program makes takes its code and status from here. ``foreign`` has those
/// that other modules make, and `RuleErrors.swift` in `AuthMessages` those of rules, which
/// `auth-service` reports too. ``all`` has the three, and a test checks that none is missing.
enum ErrorCode: String, Hashable, Sendable, CaseIterable {
  // Status 1: the answer is no
  case notConfirmed = "not_confirmed"
  case notPermitted = "not_permitted"
  case otherUserLoggedIn = "other_user_logged_in"
  case alreadyLoggedIn = "already_logged_in"
  case passwordChangedMeanwhile = "password_changed_meanwhile"
  // Status 2: the command line or the input
  case csvNotJSON = "csv_not_json"
  case homeNotText = "home_not_text"
  case homeTooLong = "home_too_long"
  case noScreen = "no_screen"
  case screenNotJSON = "screen_not_json"
  case screenTooPlain = "screen_too_plain"
  case nothingEntered = "nothing_entered"
  case passwordsDiffer = "passwords_differ"
  // Status 3: cannot tell or cannot save
  case busy
  case cancelled
  case clockUnreadable = "clock_unreadable"
  case logoutIncomplete = "logout_incomplete"
  case memoryNotClosed = "memory_not_closed"
  case noHome = "no_home"
  case otherSessionsNotEnded = "other_sessions_not_ended"
  case outputFailed = "output_failed"
  case overtaken
  case passwordChangedSessionKept = "password_changed_session_kept"
  case sessionFileCorrupt = "session_file_corrupt"
  case sessionFileLinked = "session_file_linked"
  case sessionFileUnusable = "session_file_unusable"
  case watchFailed = "watch_failed"
  // Status 4: log in first
  case accountDisabled = "account_disabled"
  case notLoggedIn = "not_logged_in"
  case passwordChangedSessionEnded = "password_changed_session_ended"
  case passwordNotRecent = "password_not_recent"
  case sessionEnded = "session_ended"
  // Status 5: wrong credentials
  case challengeOver = "challenge_over"
  case codeMissing = "code_missing"
  case credentialsNotAccepted = "credentials_not_accepted"
  // Status 6: too many attempts
  case locked
  case throttled

  /// The exit status and the meaning.
  private var entry: (status: ExitStatus, meaning: String) {
    switch self {
    case .notConfirmed: (.no, "the question whether to go on was answered with something else")
    case .notPermitted: (.no, "only an administrator may do this")
    case .otherUserLoggedIn: (.no, "another user is logged in in this context")
    case .alreadyLoggedIn: (.no, "another process logged a user in at the same time")
    case .passwordChangedMeanwhile: (.no, "another process changed the password at the same time")
    case .csvNotJSON: (.usage, "CSV and JSON are asked for at once")
    case .homeNotText: (.usage, "the variable that chooses a directory is not UTF-8")
    case .homeTooLong: (.usage, "the path of a directory is too long")
    case .noScreen: (.usage, "there is no terminal for the full-screen program")
    case .screenNotJSON: (.usage, "the full-screen program prints no JSON")
    case .screenTooPlain: (.usage, "the terminal cannot show a full-screen program")
    case .nothingEntered: (.usage, "the question was not answered")
    case .passwordsDiffer: (.usage, "the two new passwords are different")
    case .busy: (.cannotTell, "the session is busy with another request")
    case .cancelled: (.cannotTell, "the command was cancelled")
    case .clockUnreadable: (.cannotTell, "the boot clock cannot be read, so no limit can be checked")
    case .logoutIncomplete: (.cannotTell, "logged out on this device, but not completely")
    case .memoryNotClosed: (.cannotTell, "the memory of the process cannot be protected from other processes")
    case .noHome: (.cannotTell, "there is no directory for sessions and accounts")
    case .otherSessionsNotEnded: (.cannotTell, "logged out on this device; your other sessions are still active")
    case .outputFailed: (.cannotTell, "the output could not be written")
    case .overtaken: (.cannotTell, "another process changed the session at the same time")
    case .passwordChangedSessionKept:
      (.cannotTell, "the password is changed; this session is active, but was not renewed")
    case .sessionFileCorrupt: (.cannotTell, "the session file cannot be used")
    case .sessionFileLinked: (.cannotTell, "the session file is a symbolic link; nothing was logged out")
    case .sessionFileUnusable: (.cannotTell, "the session file cannot be read or written")
    case .watchFailed: (.cannotTell, "changes cannot be watched")
    case .accountDisabled: (.logInFirst, "the session ended because an administrator disabled the account")
    case .notLoggedIn: (.logInFirst, "nobody is logged in")
    case .passwordChangedSessionEnded: (.logInFirst, "the password is changed; this session ended")
    case .passwordNotRecent: (.logInFirst, "you entered your password too long ago")
    case .sessionEnded: (.logInFirst, "the session ended; the message says why")
    case .challengeOver: (.credentials, "codes were wrong too often, or the time for a code is over")
    case .codeMissing: (.credentials, "the password is right, and a code is needed too")
    case .credentialsNotAccepted: (.credentials, "wrong password, wrong code, or wrong name or password")
    case .locked: (.throttled, "an administrator must unlock the account")
    case .throttled: (.throttled, "too many attempts; the message says when to try again")
    }
  }

  /// The codes that are made elsewhere: by the command line, by prompts, by the backends.
  static let foreign: KeyValuePairs<ExitStatus, [(code: String, meaning: String)]> = [
    .usage: [
      ("extra_argument", "there is a word too many"),
      ("malformed_value", "a value does not have the right form"),
      ("misplaced_option", "the option belongs to another command"),
      ("missing_argument", "an argument is missing"),
      ("missing_command", "there is no command"),
      ("missing_option", "a required option is missing"),
      ("missing_subcommand", "the command needs a subcommand"),
      ("missing_value", "an option has no value"),
      ("repeated_option", "an option is given twice"),
      ("signed_number", "a number with a sign is where an option could be"),
      ("unexpected_value", "a flag was given a value"),
      ("unknown_command", "no command has this name"),
      ("unknown_option", "no command has this option"),
      ("already_asking", "another question is open in this process"),
      ("empty_line", "a password on standard input is empty"),
      ("line_too_long", "a line is too long"),
      ("missing_line", "standard input ended before a password or a code"),
      ("no_terminal", "there is no terminal to ask for input"),
      ("nul_in_line", "a NUL byte in a password"),
      ("timed_out", "nothing was entered in time"),
      ("too_many_lines", "standard input has more lines than were asked for"),
    ],
    .cannotTell: [
      ("answer_unknown", "the database gave the answer to another question"),
      ("authority_busy", "the database is busy"),
      ("authority_cancelled", "the request to the database was cancelled"),
      ("authority_unparsable", "the answer of the database was not understood"),
      ("authority_unreachable", "the database cannot be reached"),
      ("authority_unreadable", "the database cannot be read"),
      ("authority_unwritable", "the database cannot be written"),
      ("database_busy", "another process uses the database and did not finish in time"),
      ("database_cannot_open", "the database cannot be opened"),
      ("database_corrupt", "the database is damaged"),
      ("database_error", "the database reported another error"),
      ("database_foreign", "the database belongs to another program"),
      ("database_in_use", "a service or another process holds the database"),
      ("database_inconsistent", "the database refused a change that its rules forbid"),
      ("database_missing", "there is no database"),
      ("database_newer", "a newer version made the database"),
      ("database_read_only", "the database cannot be written"),
      ("disk_full", "the disk is full"),
      ("file_error", "the system reported another error for a file"),
      ("file_missing", "a file is missing"),
      ("file_permission_denied", "the permissions of a file do not allow its use"),
      ("file_read_only", "a file is on a read-only file system"),
      ("file_wrong_mode", "other users may use a file"),
      ("file_wrong_owner", "a file belongs to another user"),
      ("file_wrong_type", "something else is where a file should be"),
      ("hashing_failed", "a password could not be hashed"),
      ("no_randomness", "the system gave no random bytes"),
      ("outcome_unknown", "a write failed at its last step; the change may have been made"),
      ("unreadable_input", "the input cannot be read"),
      ("database_older", "an older version made the schema of the server"),
      ("role_not_permitted", "your role at the server may not do this"),
      ("schema_missing", "the database of the server has no accounts yet"),
      ("server_busy", "the server takes no more connections now"),
      ("server_certificate", "the certificate of the server is not accepted"),
      ("server_encoding", "the database does not have the encoding UTF8"),
      ("server_encryption", "the server does not offer the encryption that you ask for"),
      ("server_full", "the disk or the memory of the server is full"),
      ("server_login_refused", "the server does not accept your role or its password"),
      ("server_lost", "the server did not answer a question"),
      ("server_outdated", "the server was the primary before another took its place"),
      ("server_read_only", "the server takes no changes"),
      ("server_silent", "the server did not answer in time"),
      ("server_starting", "the server is starting or stopping"),
      ("server_unreachable", "the server cannot be reached"),
      ("answer_too_long", "the answer of the service is longer than a message may be"),
      ("request_too_long", "the request is longer than the service accepts"),
      ("service_busy", "the service has too many connections or requests now"),
      ("service_garbled", "the answer of the service was not understood"),
      ("service_lost", "the connection to the service ended before its answer"),
      ("service_missing", "the host that ssh reached has no auth-service"),
      ("service_other_version", "the service speaks another version of the protocol"),
      ("service_silent", "the service did not answer in time"),
      ("service_unreachable", "no service can be reached"),
      ("service_untrusted", "other users could have put the socket of the service there"),
      ("ssh_failed", "ssh could not reach the service"),
      ("ssh_missing", "ssh cannot be run"),
      ("session_of_other_database", "the session belongs to another database"),
      ("message_invalid", "the service did not understand a message"),
      ("service_stopping", "the service is stopping"),
      ("service_unknown", "libpq knows no service of this name"),
    ],
  ]

  /// The exit status that comes with it.
  var status: ExitStatus { entry.status }

  /// What it means, as a clause.
  var meaning: String { entry.meaning }

  /// A code as help and the manual page list it.
  struct Entry {
    let code: String
    let status: ExitStatus
    let meaning: String
  }

  /// All codes of the program, also those of backends, by status and name.
  static var all: [Entry] {
    let own = allCases.map { Entry(code: $0.rawValue, status: $0.status, meaning: $0.meaning) }
    let shared = BackendError.Code.allCases.filter { !heldByParser.contains($0) }.map {
      Entry(code: $0.rawValue, status: ExitStatus($0.row), meaning: $0.row.clause())
    }
    let others = foreign.flatMap { status, codes in
      codes.map { Entry(code: $0.code, status: status, meaning: $0.meaning) }
    }
    return (own + shared + others).sorted { ($0.status.rawValue, $0.code) < ($1.status.rawValue, $1.code) }
  }

  /// What the command line does not let through to a backend.
  static let heldByParser: Set<BackendError.Code> = [.amountInvalid]

  /// The list as help and the manual page print it.
  static var glossary: About.Glossary {
    About.Glossary(
      title: "Error codes", topic: "codes",
      entries: all.map { .init(term: $0.code, meaning: "\($0.status.rawValue): \($0.meaning)") })
  }
}
