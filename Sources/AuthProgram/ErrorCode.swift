import AuthBackend
import CommandLineKit
import TextFormat

/// The codes of errors in JSON documents: stable names for programs, each with its exit status and
/// what it means.
///
/// Every error of the program takes its code and status from here. The codes of the command line and
/// of prompts are here under the same names; those that all backends have are in
/// `BackendError.Code`, with their meaning. ``all`` has both, and a test checks that none is missing.
enum ErrorCode: String, Hashable, Sendable, CaseIterable {
  // Status 1: the answer is no
  case notConfirmed = "not_confirmed"
  case notPermitted = "not_permitted"
  case otherUserLoggedIn = "other_user_logged_in"
  case alreadyLoggedIn = "already_logged_in"
  case passwordChangedMeanwhile = "password_changed_meanwhile"
  case confirmationWrong = "confirmation_wrong"
  case schemaExists = "schema_exists"
  case schemaForeign = "schema_foreign"
  case schemaNotEmpty = "schema_not_empty"
  // Status 2: the command line or the input
  case extraArgument = "extra_argument"
  case malformedValue = "malformed_value"
  case misplacedOption = "misplaced_option"
  case missingArgument = "missing_argument"
  case missingCommand = "missing_command"
  case missingOption = "missing_option"
  case missingSubcommand = "missing_subcommand"
  case missingValue = "missing_value"
  case repeatedOption = "repeated_option"
  case signedNumber = "signed_number"
  case unexpectedValue = "unexpected_value"
  case unknownCommand = "unknown_command"
  case unknownOption = "unknown_option"
  case alreadyAsking = "already_asking"
  case addressHasPassword = "address_has_password"
  case addressInvalid = "address_invalid"
  case csvNotJSON = "csv_not_json"
  case emptyLine = "empty_line"
  case homeNotText = "home_not_text"
  case homeTooLong = "home_too_long"
  case lineTooLong = "line_too_long"
  case missingLine = "missing_line"
  case noScreen = "no_screen"
  case noServer = "no_server"
  case noTerminal = "no_terminal"
  case screenNotJSON = "screen_not_json"
  case screenTooPlain = "screen_too_plain"
  case nothingEntered = "nothing_entered"
  case nulInLine = "nul_in_line"
  case passwordsDiffer = "passwords_differ"
  case timedOut = "timed_out"
  case tooManyLines = "too_many_lines"
  // Status 3: cannot tell or cannot save
  case authorityBusy = "authority_busy"
  case authorityCancelled = "authority_cancelled"
  case authorityUnparsable = "authority_unparsable"
  case authorityUnreachable = "authority_unreachable"
  case authorityUnreadable = "authority_unreadable"
  case authorityUnwritable = "authority_unwritable"
  case busy
  case cancelled
  case clockUnreadable = "clock_unreadable"
  case databaseBusy = "database_busy"
  case databaseCannotOpen = "database_cannot_open"
  case databaseCorrupt = "database_corrupt"
  case databaseError = "database_error"
  case databaseForeign = "database_foreign"
  case databaseInconsistent = "database_inconsistent"
  case databaseMissing = "database_missing"
  case databaseNewer = "database_newer"
  case databaseReadOnly = "database_read_only"
  case diskFull = "disk_full"
  case fileError = "file_error"
  case fileMissing = "file_missing"
  case filePermissionDenied = "file_permission_denied"
  case fileReadOnly = "file_read_only"
  case fileWrongMode = "file_wrong_mode"
  case fileWrongOwner = "file_wrong_owner"
  case fileWrongType = "file_wrong_type"
  case hashingFailed = "hashing_failed"
  case logoutIncomplete = "logout_incomplete"
  case memoryNotClosed = "memory_not_closed"
  case noHome = "no_home"
  case noRandomness = "no_randomness"
  case otherSessionsNotEnded = "other_sessions_not_ended"
  case outcomeUnknown = "outcome_unknown"
  case outputFailed = "output_failed"
  case overtaken
  case passwordChangedSessionKept = "password_changed_session_kept"
  case sessionFileCorrupt = "session_file_corrupt"
  case sessionFileLinked = "session_file_linked"
  case sessionFileUnusable = "session_file_unusable"
  case unreadableInput = "unreadable_input"
  case watchFailed = "watch_failed"
  // Status 3: PostgreSQL servers
  case companionMissing = "companion_missing"
  case companionOutdated = "companion_outdated"
  case databaseOlder = "database_older"
  case roleNotPermitted = "role_not_permitted"
  case schemaMissing = "schema_missing"
  case serverBusy = "server_busy"
  case serverCertificate = "server_certificate"
  case serverEncoding = "server_encoding"
  case serverEncryption = "server_encryption"
  case serverFull = "server_full"
  case serverLoginRefused = "server_login_refused"
  case serverLost = "server_lost"
  case serverOutdated = "server_outdated"
  case serverReadOnly = "server_read_only"
  case serverRejectsForm = "server_rejects_form"
  case serverSettingRefused = "server_setting_refused"
  case serverSilent = "server_silent"
  case serverStarting = "server_starting"
  case serverUnparsable = "server_unparsable"
  case serverUnreachable = "server_unreachable"
  case serviceUnknown = "service_unknown"
  case sessionOfOtherDatabase = "session_of_other_database"
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
    case .confirmationWrong: (.no, "the connection is to another database than the one you confirmed")
    case .schemaExists: (.no, "the database has the schema already")
    case .schemaForeign: (.no, "the database has a schema of this name that belongs to another role")
    case .schemaNotEmpty: (.no, "the database has the schema already, so nothing is imported")
    case .extraArgument: (.usage, "there is a word too many")
    case .malformedValue: (.usage, "a value does not have the right form")
    case .misplacedOption: (.usage, "the option belongs to another command")
    case .missingArgument: (.usage, "an argument is missing")
    case .missingCommand: (.usage, "there is no command")
    case .missingOption: (.usage, "a required option is missing")
    case .missingSubcommand: (.usage, "the command needs a subcommand")
    case .missingValue: (.usage, "an option has no value")
    case .repeatedOption: (.usage, "an option is given twice")
    case .signedNumber: (.usage, "a number with a sign is where an option could be")
    case .unexpectedValue: (.usage, "a flag was given a value")
    case .unknownCommand: (.usage, "no command has this name")
    case .unknownOption: (.usage, "no command has this option")
    case .alreadyAsking: (.usage, "another question is open in this process")
    case .addressHasPassword: (.usage, "AUTH_CLI_AUTHORITY contains a password")
    case .addressInvalid: (.usage, "AUTH_CLI_AUTHORITY does not name a database")
    case .csvNotJSON: (.usage, "CSV and JSON are asked for at once")
    case .emptyLine: (.usage, "a password on standard input is empty")
    case .homeNotText: (.usage, "the variable that chooses a directory is not UTF-8")
    case .homeTooLong: (.usage, "the path of a directory is too long")
    case .lineTooLong: (.usage, "a line is too long")
    case .missingLine: (.usage, "standard input ended before a password or a code")
    case .noScreen: (.usage, "there is no terminal for the full-screen program")
    case .noServer: (.usage, "AUTH_CLI_AUTHORITY is not set, and the command needs a server")
    case .screenNotJSON: (.usage, "the full-screen program prints no JSON")
    case .screenTooPlain: (.usage, "the terminal cannot show a full-screen program")
    case .noTerminal: (.usage, "there is no terminal to ask for input")
    case .nothingEntered: (.usage, "the question was not answered")
    case .nulInLine: (.usage, "a NUL byte in a password")
    case .passwordsDiffer: (.usage, "the two new passwords are different")
    case .timedOut: (.usage, "nothing was entered in time")
    case .tooManyLines: (.usage, "standard input has more lines than were asked for")
    case .authorityBusy: (.cannotTell, "the database is busy")
    case .authorityCancelled: (.cannotTell, "the request to the database was cancelled")
    case .authorityUnparsable: (.cannotTell, "the answer of the database was not understood")
    case .authorityUnreachable: (.cannotTell, "the database cannot be reached")
    case .authorityUnreadable: (.cannotTell, "the database cannot be read")
    case .authorityUnwritable: (.cannotTell, "the database cannot be written")
    case .busy: (.cannotTell, "the session is busy with another request")
    case .cancelled: (.cannotTell, "the command was cancelled")
    case .clockUnreadable: (.cannotTell, "the boot clock cannot be read, so no limit can be checked")
    case .databaseBusy: (.cannotTell, "another process uses the database and did not finish in time")
    case .databaseCannotOpen: (.cannotTell, "the database cannot be opened")
    case .databaseCorrupt: (.cannotTell, "the database is damaged")
    case .databaseError: (.cannotTell, "the database reported another error")
    case .databaseForeign: (.cannotTell, "the database belongs to another program")
    case .databaseInconsistent: (.cannotTell, "the database refused a change that its rules forbid")
    case .databaseMissing: (.cannotTell, "there is no database")
    case .databaseNewer: (.cannotTell, "a newer version made the database")
    case .databaseReadOnly: (.cannotTell, "the database cannot be written")
    case .diskFull: (.cannotTell, "the disk is full")
    case .fileError: (.cannotTell, "the system reported another error for a file")
    case .fileMissing: (.cannotTell, "a file is missing")
    case .filePermissionDenied: (.cannotTell, "the permissions of a file do not allow its use")
    case .fileReadOnly: (.cannotTell, "a file is on a read-only file system")
    case .fileWrongMode: (.cannotTell, "other users may use a file")
    case .fileWrongOwner: (.cannotTell, "a file belongs to another user")
    case .fileWrongType: (.cannotTell, "something else is where a file should be")
    case .hashingFailed: (.cannotTell, "a password could not be hashed")
    case .logoutIncomplete: (.cannotTell, "logged out on this device, but not completely")
    case .memoryNotClosed: (.cannotTell, "the memory of the process cannot be protected from other processes")
    case .noHome: (.cannotTell, "there is no directory for sessions and accounts")
    case .noRandomness: (.cannotTell, "the system gave no random bytes")
    case .otherSessionsNotEnded: (.cannotTell, "logged out on this device; your other sessions are still active")
    case .outcomeUnknown: (.cannotTell, "a write failed at its last step; the change may have been made")
    case .outputFailed: (.cannotTell, "the output could not be written")
    case .overtaken: (.cannotTell, "another process changed the session at the same time")
    case .passwordChangedSessionKept:
      (.cannotTell, "the password is changed; this session is active, but was not renewed")
    case .sessionFileCorrupt: (.cannotTell, "the session file cannot be used")
    case .sessionFileLinked: (.cannotTell, "the session file is a symbolic link; nothing was logged out")
    case .sessionFileUnusable: (.cannotTell, "the session file cannot be read or written")
    case .unreadableInput: (.cannotTell, "the input cannot be read")
    case .watchFailed: (.cannotTell, "changes cannot be watched")
    case .companionMissing: (.cannotTell, "the program for PostgreSQL servers cannot be run")
    case .companionOutdated: (.cannotTell, "the program for PostgreSQL servers has another version")
    case .databaseOlder: (.cannotTell, "an older version made the schema of the server")
    case .roleNotPermitted: (.cannotTell, "your role at the server may not do this")
    case .schemaMissing: (.cannotTell, "the database of the server has no accounts yet")
    case .serverBusy: (.cannotTell, "the server takes no more connections now")
    case .serverCertificate: (.cannotTell, "the certificate of the server is not accepted")
    case .serverEncoding: (.cannotTell, "the database does not have the encoding UTF8")
    case .serverEncryption: (.cannotTell, "the server does not offer the encryption that you ask for")
    case .serverFull: (.cannotTell, "the disk or the memory of the server is full")
    case .serverLoginRefused: (.cannotTell, "the server does not accept your role or its password")
    case .serverLost: (.cannotTell, "the server did not answer a question")
    case .serverOutdated: (.cannotTell, "the server was the primary before another took its place")
    case .serverReadOnly: (.cannotTell, "the server takes no changes")
    case .serverRejectsForm: (.cannotTell, "the server did not accept the form of a request")
    case .serverSettingRefused: (.cannotTell, "the server asked for a password hash that is weak or unknown")
    case .serverSilent: (.cannotTell, "the server did not answer in time")
    case .serverStarting: (.cannotTell, "the server is starting or stopping")
    case .serverUnparsable: (.cannotTell, "the answer of the server was not understood")
    case .serverUnreachable: (.cannotTell, "the server cannot be reached")
    case .serviceUnknown: (.cannotTell, "libpq knows no service of this name")
    case .sessionOfOtherDatabase: (.cannotTell, "the session belongs to another database")
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
      Entry(code: $0.rawValue, status: $0.isRefusal ? .no : .usage, meaning: $0.meaning)
    }
    return (own + shared).sorted { ($0.status.rawValue, $0.code) < ($1.status.rawValue, $1.code) }
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
