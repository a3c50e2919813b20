package import AuthCore

extension BackendError {
  /// The rules that every backend holds input against, each with its stable code, and with what its
  /// values are.
  public enum Code: String, Hashable, Sendable, CaseIterable {
    /// No account has this name: the name.
    case accountNotFound = "account_not_found"
    /// The account still has money: the name and the balance.
    case balanceNotZero = "balance_not_zero"
    /// The key names another payment: the key, and the amount and the payee of the other payment.
    case idempotencyKeyReused = "idempotency_key_reused"
    /// The balance is smaller than the amount: the balance and the amount.
    case insufficientFunds = "insufficient_funds"
    /// It is the last administrator who can enable accounts: the name.
    case lastAdministrator = "last_administrator"
    /// The database belongs to somebody else.
    case notDatabaseOwner = "not_database_owner"
    /// The account that would be paid is disabled: the name.
    case payeeDisabled = "payee_disabled"
    /// The account that would be paid cannot hold that much.
    case payeeFull = "payee_full"
    /// A payment to yourself.
    case payeeIsPayer = "payee_is_payer"
    /// No account has the name that would be paid: the name.
    case payeeUnknown = "payee_unknown"
    /// Another payment of the same screen is under way.
    case paymentInProgress = "payment_in_progress"
    /// Only an administrator may create accounts.
    case registrationClosed = "registration_closed"
    /// A key of another session was used.
    case sessionMismatch = "session_mismatch"
    /// The user has no active session of this name: the name of the session.
    case sessionNotFound = "session_not_found"
    /// The second step is on already.
    case twoStepAlreadyOn = "two_step_already_on"
    /// There is no secret that a code could confirm.
    case twoStepNotBegun = "two_step_not_begun"
    /// The second step is off.
    case twoStepNotOn = "two_step_not_on"
    /// The user must set up a second step first.
    case twoStepRequired = "two_step_required"
    /// The name is in use: the name.
    case usernameTaken = "username_taken"
    /// Not an amount: what was typed.
    case amountInvalid = "amount_invalid"
    /// Not a name that can be shown: what was typed, and what is wrong with it.
    case displayNameInvalid = "display_name_invalid"
    /// Not an idempotency key.
    case idempotencyKeyInvalid = "idempotency_key_invalid"
    /// The password is too common.
    case passwordBlocked = "password_blocked"
    /// The password contains the name.
    case passwordContainsName = "password_contains_name"
    /// A NUL byte in a password.
    case passwordHasNul = "password_has_nul"
    /// The password is not UTF-8.
    case passwordNotText = "password_not_text"
    /// The password is one character repeated, or only blanks.
    case passwordRepeats = "password_repeats"
    /// The password has more than 511 bytes: how many bytes it has.
    case passwordTooLong = "password_too_long"
    /// The password has fewer than 15 characters: how many characters it has.
    case passwordTooShort = "password_too_short"
    /// The password has characters that Unicode has not assigned.
    case passwordUnassigned = "password_unassigned"
    /// The new password is the present one.
    case passwordUnchanged = "password_unchanged"
    /// Not a user name: what was typed.
    case usernameInvalid = "username_invalid"
    /// Not the address of a service: what is wrong with it.
    case addressInvalid = "address_invalid"
    /// The address of a PostgreSQL database, where that of a service should be.
    case addressOfDatabase = "address_of_database"
  }

  /// What only an operator can meet, each with a stable code.
  package enum OperatorCode: String, Hashable, Sendable, CaseIterable {
    /// The database has accounts already.
    case schemaExists = "schema_exists"
    /// A schema is not ours to use: its name, its database, and what is wrong with it.
    case schemaForeign = "schema_foreign"
    /// The database has the tables already: its name.
    case schemaNotEmpty = "schema_not_empty"
    /// The name of another database than that of the connection: both names.
    case confirmationWrong = "confirmation_wrong"
    /// Not the address of a PostgreSQL database: what is wrong with it.
    case databaseAddressInvalid = "database_address_invalid"
    /// The address of a database has a password in it.
    case addressHasPassword = "address_has_password"
    /// The program was built without PostgreSQL.
    case postgresMissing = "postgres_missing"
  }
}

extension BackendError {
  /// What the database, the system or the service could not do, each with a stable code.
  ///
  /// The values of each are in its message, in the table of the programs.
  package enum FailureCode: String, Hashable, Sendable, CaseIterable {
    case answerTooLong = "answer_too_long"
    case answerUnknown = "answer_unknown"
    case clockWasAhead = "clock_was_ahead"
    case clockUnreadable = "clock_unreadable"
    case databaseBusy = "database_busy"
    case databaseCannotOpen = "database_cannot_open"
    case databaseCorrupt = "database_corrupt"
    case databaseError = "database_error"
    case databaseForeign = "database_foreign"
    case databaseInUse = "database_in_use"
    case databaseInconsistent = "database_inconsistent"
    case databaseMissing = "database_missing"
    case databaseNewer = "database_newer"
    case databaseOlder = "database_older"
    case databaseReadOnly = "database_read_only"
    case eventsChanged = "events_changed"
    case hashingFailed = "hashing_failed"
    case messageInvalid = "message_invalid"
    case noRandomness = "no_randomness"
    case outcomeUnknown = "outcome_unknown"
    case requestTooLong = "request_too_long"
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
    case serverSilent = "server_silent"
    case serverStarting = "server_starting"
    case serverUnreachable = "server_unreachable"
    case serviceBusy = "service_busy"
    case serviceGarbled = "service_garbled"
    case serviceLost = "service_lost"
    case serviceMissing = "service_missing"
    case serviceNotPermitted = "service_not_permitted"
    case serviceOtherVersion = "service_other_version"
    case serviceSilent = "service_silent"
    case serviceStopping = "service_stopping"
    /// Not one of ours: what libpq calls a service.
    case serviceUnknown = "service_unknown"
    case serviceUnreachable = "service_unreachable"
    case serviceUntrusted = "service_untrusted"
    case sessionOfOtherDatabase = "session_of_other_database"
    case sshFailed = "ssh_failed"
    case sshMissing = "ssh_missing"
    case watchFailed = "watch_failed"

    /// The class of the failure in the terms of `Authority`.
    package var cause: Unavailability.Cause {
      switch self {
      case .databaseBusy, .databaseInUse, .eventsChanged, .serverBusy, .serverStarting, .serviceBusy, .serviceStopping:
        .busy
      case .databaseReadOnly, .outcomeUnknown, .serverFull, .serverReadOnly: .unwritable
      case .answerTooLong, .answerUnknown, .databaseNewer, .databaseOlder, .messageInvalid, .requestTooLong,
        .serviceGarbled, .serviceOtherVersion:
        .unparsable
      case .clockUnreadable, .clockWasAhead, .databaseCorrupt, .databaseError, .databaseForeign, .databaseInconsistent,
        .hashingFailed,
        .serverEncoding, .watchFailed:
        .unreadable
      case .databaseCannotOpen, .databaseMissing, .noRandomness, .roleNotPermitted, .schemaMissing, .serverCertificate,
        .serverEncryption, .serverLoginRefused, .serverLost, .serverOutdated, .serverSilent, .serverUnreachable,
        .serviceLost, .serviceMissing, .serviceNotPermitted, .serviceSilent, .serviceUnknown, .serviceUnreachable,
        .serviceUntrusted, .sessionOfOtherDatabase, .sshFailed, .sshMissing:
        .unreachable
      }
    }
  }
}
