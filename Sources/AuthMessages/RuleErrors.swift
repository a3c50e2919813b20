package import AuthBackend

/// The table of errors, for rules: the exit status of each code, its message and what to do.
///
/// `ErrorCode` has the codes of the programs themselves.
extension BackendError.Code {
  package var row: ErrorRow {
    switch self {
    case .accountNotFound:
      .no("there is no account '{NAME}'").hint("Check the name. List the accounts: \(run: "accounts", "list")")
    case .balanceNotZero:
      .no("the account '{NAME}' still has {BALANCE}")
        .hint("It has to be paid to another account first; an account can be deleted when its balance is 0.00.")
    case .idempotencyKeyReused:
      .no("the key '{KEY}' was used for another payment: {AMOUNT} to {NAME}").hint("Use a new key for a new payment.")
    case .insufficientFunds:
      .no("your balance is {BALANCE}, which is less than {AMOUNT}").hint("Pay at most your balance.")
    case .lastAdministrator:
      .no("'{NAME}' is the last administrator who can enable accounts")
        .hint("Make another account an administrator first: \(run: "accounts", "promote", "USER")")
    case .notDatabaseOwner:
      .no("a service does not let you act as the owner of its database")
        .hint("If you are an administrator, omit --as-owner. An operator runs 'auth-service reset-password USER'.")
    case .payeeDisabled:
      .no("the account '{NAME}' is disabled")
        .hint("An administrator can enable it: \(runByOthers: "accounts", "enable", "USER")")
    case .payeeFull: .no("the payee's account cannot hold that much").hint("Pay less.")
    case .payeeIsPayer: .no("you cannot pay yourself").hint("Name another user.")
    case .payeeUnknown: .no("there is no account '{NAME}'").hint("Check the name.")
    case .paymentInProgress:
      .no("another payment of this screen is under way").hint("Wait for its receipt; this one was not made.")
    case .registrationClosed: .no("registration is closed").hint("Ask an administrator to create the account.")
    case .sessionMismatch:
      .no("the key belongs to another session than the lease").hint("Use the key of the leased session.")
    case .sessionNotFound: .no("you have no active session '{NAME}'").hint("List your sessions: \(run: "sessions")")
    case .twoStepAlreadyOn:
      .no("the second step is on already").hint("To change the device, turn it off first: \(run: "two-step", "off")")
    case .twoStepNotBegun:
      .no("the set-up was not begun").hint("Begin it: \(run: "two-step", "on")")
    case .twoStepNotOn: .no("the second step is off").hint("There is nothing to turn off.")
    case .twoStepRequired:
      .no("administrators of this database need a second step, and you have none")
        .hint("Set it up: \(run: "two-step", "on")")
    case .usernameTaken:
      .no("the name '{NAME}' is taken").hint("Choose another name; names of deleted accounts cannot be used again.")
    case .addressInvalid:
      .usage("AUTH_CLI_AUTHORITY does not name a service: {REASON}")
        .hint("Write it like unix:/run/auth-cli/authority.sock, ssh://host or ssh://host1,host2; nothing was changed.")
    case .addressOfDatabase:
      .usage("AUTH_CLI_AUTHORITY names a PostgreSQL database, which only a service may open")
        .hint(
          "Start auth-service on it, then name the service: unix:/run/auth-cli/authority.sock or ssh://host. Nothing was changed."
        )
    case .amountInvalid:
      .usage("'{AMOUNT}' is not an amount")
        .hint("Write an amount such as 12 or 12.50, more than 0 and at most \(Amount.largest).")
    case .displayNameInvalid: .usage("{NAME} cannot be used as a name: it {REASON}").hint("Use \(DisplayName.rule).")
    case .idempotencyKeyInvalid: .usage("that is not an idempotency key").hint("Use \(IdempotencyKey.rule).")
    case .passwordBlocked: .usage("the password is too common").hint("Choose one that only you use.")
    case .passwordContainsName: .usage("the password contains the name of the account").hint("Choose another.")
    case .passwordHasNul: .usage("the password contains a NUL character").hint("Choose another.")
    case .passwordNotText: .usage("the password is not valid UTF-8").hint("Check the encoding of the input.")
    case .passwordRepeats: .usage("the password is one repeated character, or only spaces").hint(Self.goodPassword)
    case .passwordTooLong:
      .usage("the password has {LENGTH} bytes; at most \(NormalizedPassword.longest) are accepted")
        .hint("Choose a shorter one; passwords are never cut off.")
    case .passwordTooShort:
      .usage("the password has {LENGTH}; at least \(PasswordPolicy.shortest) are needed").hint(Self.goodPassword)
    case .passwordUnassigned:
      .usage("the password contains characters that Unicode has not assigned").hint("Choose other characters.")
    case .passwordUnchanged:
      .usage("the new password is the same as the current one").hint("Choose another; nothing was changed.")
    case .usernameInvalid: .usage("{NAME} is not a user name").hint("Use \(Username.rule).")
    }
  }

  private static let goodPassword: Hint = "Several words make a good password; spaces are allowed."
}

extension BackendError.OperatorCode {
  package var row: ErrorRow {
    switch self {
    case .schemaExists:
      .no("the database has accounts already")
        .hint("Nothing was changed. For a forgotten password, start the service: auth-service reset-password NAME")
    case .schemaForeign:
      .no("the schema {SCHEMA} of the database '{DATABASE}' {REASON}")
        .hint("Nothing in it was used or changed. Connect as its owner, or use another database.")
    case .schemaNotEmpty:
      .no("the database '{DATABASE}' has the tables already")
        .hint("Nothing was changed. Import into an empty database.")
    case .confirmationWrong:
      .no("the connection is to the database '{DATABASE}', and not to '{NAME}'")
        .hint("Nothing was removed. Repeat the name of the database to confirm.")
    case .databaseAddressInvalid:
      .usage("the address does not name a PostgreSQL database: {REASON}")
        .hint("Write it like postgresql://host/database, or service=NAME for a name in ~/.pg_service.conf.")
    case .addressHasPassword:
      .usage("the address of the database contains a password")
        .hint("Remove it from there, and put it into ~/.pgpass of the service's user (mode 0600).")
    case .postgresMissing:
      .usage("this auth-service was built without PostgreSQL")
        .hint("Install libpq-dev and build it again, or use --database.")
    }
  }
}
