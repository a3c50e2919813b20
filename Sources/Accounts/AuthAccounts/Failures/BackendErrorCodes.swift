extension BackendError {
  /// The rules that every backend checks, each with its stable code; each case lists the values of
  /// its error.
  public enum Code: Hashable, Sendable, CaseIterable {
    /// No account has this name: the name.
    case accountNotFound
    /// The account still has money: the name and the balance.
    case balanceNotZero
    /// The key names another payment: the key, and the amount and the payee of the other payment.
    case idempotencyKeyReused
    /// The balance is smaller than the amount: the balance and the amount.
    case insufficientFunds
    /// It is the last administrator who can enable accounts: the name.
    case lastAdministrator
    /// The caller is not the owner of the database.
    case notDatabaseOwner
    /// The account that would be paid is disabled: the name.
    case payeeDisabled
    /// The account that would be paid cannot hold that much.
    case payeeFull
    /// A payment to yourself.
    case payeeIsPayer
    /// No account has the name that would be paid: the name.
    case payeeUnknown
    /// Another payment of the same screen is under way.
    case paymentInProgress
    /// Only an administrator may create accounts.
    case registrationClosed
    /// A key of another session was used.
    case sessionMismatch
    /// The proof is unknown, used, expired or for another tool, or its session has ended.
    case proofNotAccepted
    /// The user has no active session of this name: the name of the session.
    case sessionNotFound
    /// The account is in as many groups as it may be: the name of the account.
    case tooManyGroups
    /// The second step is on already.
    case twoStepAlreadyOn
    /// There is no secret that a code could confirm.
    case twoStepNotBegun
    /// The second step is off.
    case twoStepNotOn
    /// The user must set up a second step first.
    case twoStepRequired
    /// The name is in use: the name.
    case usernameTaken
    /// Not an amount: what was typed.
    case amountInvalid
    /// Not a name that can be shown: what was typed, and what is wrong with it.
    case displayNameInvalid
    /// Not the name of a group: what was typed.
    case groupNameInvalid
    /// Not an idempotency key.
    case idempotencyKeyInvalid
    /// The password is too common.
    case passwordBlocked
    /// The password contains the name.
    case passwordContainsName
    /// A NUL byte in a password.
    case passwordHasNul
    /// The password is not UTF-8.
    case passwordNotText
    /// The password is one character repeated, or only blanks.
    case passwordRepeats
    /// The password has more than 511 bytes: how many bytes it has.
    case passwordTooLong
    /// The password has fewer than 15 characters: how many characters it has.
    case passwordTooShort
    /// The password has a character that does not print, such as that of an arrow key: its kind.
    case passwordUnprintable
    /// The new password is the present one.
    case passwordUnchanged
    /// More accounts than one request changes: how many.
    case tooManyAccounts
    /// Not a user name: what was typed.
    case usernameInvalid
    /// Not the address of a service: what is wrong with it.
    case addressInvalid
    /// The address of a PostgreSQL database, where that of a service should be.
    case addressOfDatabase
  }

  /// The rules for operators, each with a stable code.
  package enum OperatorCode: ErrorCodeList {
    case schemaExists, schemaForeign, schemaNotEmpty, confirmationWrong, databaseAddressInvalid, addressHasPassword,
      postgresMissing
  }
}

extension BackendError.Code: ErrorCodeList {
  /// The stable name for programs, in snake case.
  public var rawValue: String { text.code }

  /// Finds the rule with this stable name, or returns nil.
  package init?(rawValue code: String) {
    guard let found = Self.named(code) else { return nil }
    self = found
  }

  package var text: ErrorText {
    switch self {
    case .accountNotFound:
      .refused("account_not_found", "there is no account '{NAME}'").hint("Check the name.")
    case .balanceNotZero:
      .refused("balance_not_zero", "the account '{NAME}' still has {BALANCE}")
        .hint(
          "It must be paid to another account first. Only the opening credit of an account without payments is paid back by itself."
        )
    case .idempotencyKeyReused:
      .refused("idempotency_key_reused", "the key '{KEY}' was used for another payment: {AMOUNT} to {NAME}").hint(
        "Use a new key for a new payment.")
    case .insufficientFunds:
      .refused("insufficient_funds", "your balance is {BALANCE}, which is less than {AMOUNT}").hint(
        "Pay at most your balance.")
    case .lastAdministrator:
      .refused("last_administrator", "'{NAME}' is the last administrator who can enable accounts")
        .hint("Make another account an administrator first.")
    case .notDatabaseOwner:
      .refused("not_database_owner", "a service does not let you act as the owner of its database")
        .hint("If you are an administrator, omit --as-owner. An operator runs 'auth-service reset-password {NAME}'.")
    case .payeeDisabled:
      .refused("payee_disabled", "the account '{NAME}' is disabled")
        .hint("Ask an administrator to enable it.")
    case .payeeFull: .refused("payee_full", "the payee's account cannot hold that much").hint("Pay less.")
    case .payeeIsPayer: .refused("payee_is_payer", "you cannot pay yourself").hint("Name another user.")
    case .payeeUnknown: .refused("payee_unknown", "there is no account '{NAME}'").hint("Check the name.")
    case .paymentInProgress:
      .refused("payment_in_progress", "another payment of this screen is under way").hint(
        "Wait for its receipt; this one was not made.")
    case .registrationClosed:
      .refused("registration_closed", "registration is closed").hint("Ask an administrator to create the account.")
    case .proofNotAccepted:
      .refused(
        "proof_not_accepted",
        "the proof is not valid: it is unknown, used, expired or for another tool, or its user has logged out"
      )
      .hint("Ask the caller for a new one; a proof is valid once, and for \(ProofPolicy.time.components.seconds) s.")
    case .sessionMismatch:
      .refused("session_mismatch", "the request belongs to another session").hint(
        "Use the key of the leased session.")
    case .sessionNotFound:
      .refused("session_not_found", "you have no active session '{NAME}'").hint("Check the name of the session.")
    case .tooManyGroups:
      .refused("too_many_groups", "'{NAME}' is in \(GroupPolicy.groupsOfAccount) groups, and cannot be in more")
        .hint("Remove the account from another group first.")
    case .twoStepAlreadyOn:
      .refused("two_step_already_on", "the second step is on already").hint("To change the device, turn it off first.")
    case .twoStepNotBegun:
      .refused("two_step_not_begun", "the set-up of the second step was not started").hint("Begin it.")
    case .twoStepNotOn: .refused("two_step_not_on", "the second step is off").hint("There is nothing to turn off.")
    case .twoStepRequired:
      .refused("two_step_required", "administrators of this database need a second step, and you have none")
        .hint("Set one up.")
    case .usernameTaken:
      .refused("username_taken", "the name '{NAME}' is taken").hint(
        "Choose another name; names of deleted accounts cannot be used again.")
    case .addressInvalid:
      .invalid("address_invalid", "AUTH_CLI_AUTHORITY does not name a service: {REASON}")
        .hint("Write it like unix:/run/auth-cli/authority.sock, ssh://host or ssh://host1,host2; nothing was changed.")
    case .addressOfDatabase:
      .invalid("address_of_database", "AUTH_CLI_AUTHORITY names a PostgreSQL database, which only a service may open")
        .hint(
          "Start auth-service on it, then name the service: unix:/run/auth-cli/authority.sock or ssh://host. Nothing was changed."
        )
    case .amountInvalid:
      .invalid("amount_invalid", "'{AMOUNT}' is not an amount")
        .hint("Write an amount such as 12 or 12.50, more than 0 and at most \(Amount.largest).")
    case .displayNameInvalid:
      .invalid("display_name_invalid", "{NAME} cannot be used as a name: it {REASON}").hint("Use \(DisplayName.rule).")
    case .groupNameInvalid:
      .invalid("group_name_invalid", "{NAME} is not the name of a group").hint("Use \(Username.rule).")
    case .idempotencyKeyInvalid:
      .invalid("idempotency_key_invalid", "that is not an idempotency key").hint("Use \(IdempotencyKey.rule).")
    case .passwordBlocked:
      .invalid("password_blocked", "the password is too common").hint("Choose one that only you use.")
    case .passwordContainsName:
      .invalid("password_contains_name", "the password contains the name of the account").hint("Choose another.")
    case .passwordHasNul: .invalid("password_has_nul", "the password contains a NUL character").hint("Choose another.")
    case .passwordNotText:
      .invalid("password_not_text", "the password is not valid UTF-8").hint("Check the encoding of the input.")
    case .passwordRepeats:
      .invalid("password_repeats", "the password is one repeated character, or only spaces").hint(Self.goodPassword)
    case .passwordTooLong:
      .invalid(
        "password_too_long", "the password has {LENGTH} bytes; at most \(PasswordPolicy.longest) are accepted"
      )
      .hint("Choose a shorter one; passwords are never cut off.")
    case .passwordTooShort:
      .invalid("password_too_short", "the password has {LENGTH}; at least \(PasswordPolicy.shortest) are needed").hint(
        Self.goodPassword)
    case .passwordUnchanged:
      .invalid("password_unchanged", "the new password is the same as the current one").hint(
        "Choose another; nothing was changed.")
    case .passwordUnprintable:
      .invalid("password_unprintable", "the password contains {CHARACTER}").hint(
        "An arrow key or a pasted text can leave it there, and nobody can type it again. Enter the password anew.")
    case .tooManyAccounts:
      .invalid(
        "too_many_accounts",
        "{COUNT} accounts are too many for one change; at most \(GroupPolicy.accountsAtOnce) are accepted"
      )
      .hint("Nothing was changed. Change them in several steps.")
    case .usernameInvalid: .invalid("username_invalid", "{NAME} is not a user name").hint("Use \(Username.rule).")
    }
  }

  private static let goodPassword = "Several words make a good password; spaces are allowed."
}

extension BackendError.OperatorCode {
  package var text: ErrorText {
    switch self {
    case .schemaExists:
      .refused("schema_exists", "the database has accounts already")
        .hint(
          "Nothing was changed. For a forgotten password, start the service, then run: auth-service reset-password NAME"
        )
    case .schemaForeign:
      .refused("schema_foreign", "the schema {SCHEMA} of the database '{DATABASE}' {REASON}")
        .hint("Nothing in it was used or changed. Connect as its owner, or use another database.")
    case .schemaNotEmpty:
      .refused("schema_not_empty", "the database '{DATABASE}' has the tables already")
        .hint("Nothing was changed. Import into an empty database.")
    case .confirmationWrong:
      .refused("confirmation_wrong", "the connection is to the database '{DATABASE}', and not to '{NAME}'")
        .hint("Nothing was removed. Repeat the name of the database to confirm.")
    case .databaseAddressInvalid:
      .invalid("database_address_invalid", "the address does not name a PostgreSQL database: {REASON}")
        .hint("Write it like postgresql://host/database, or service=NAME for a name in ~/.pg_service.conf.")
    case .addressHasPassword:
      .invalid("address_has_password", "the address of the database contains a password")
        .hint("Remove it from there, and put it into ~/.pgpass of the service's user (mode 0600).")
    case .postgresMissing:
      .invalid("postgres_missing", "this auth-service was built without PostgreSQL")
        .hint("Install libpq-dev and build it again, or use --database.")
    }
  }
}
