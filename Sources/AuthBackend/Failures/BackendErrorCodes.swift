package import AuthCore
import TextFormat

extension BackendError {
  /// The rules that every backend holds input against, each with its stable code.
  public enum Code: String, Hashable, Sendable, CaseIterable {
    /// No account has this name.
    case accountNotFound = "account_not_found"
    /// The account still has money.
    case balanceNotZero = "balance_not_zero"
    /// The key names another payment.
    case idempotencyKeyReused = "idempotency_key_reused"
    /// The balance is smaller than the amount.
    case insufficientFunds = "insufficient_funds"
    /// It is the last administrator who can enable accounts.
    case lastAdministrator = "last_administrator"
    /// The database belongs to somebody else.
    case notDatabaseOwner = "not_database_owner"
    /// The account that would be paid is disabled.
    case payeeDisabled = "payee_disabled"
    /// The account that would be paid cannot hold that much.
    case payeeFull = "payee_full"
    /// A payment to yourself.
    case payeeIsPayer = "payee_is_payer"
    /// No account has the name that would be paid.
    case payeeUnknown = "payee_unknown"
    /// Only an administrator may create accounts.
    case registrationClosed = "registration_closed"
    /// A key of another session was used.
    case sessionMismatch = "session_mismatch"
    /// The user has no active session of this name.
    case sessionNotFound = "session_not_found"
    /// The second step is on already.
    case twoStepAlreadyOn = "two_step_already_on"
    /// There is no secret that a code could confirm.
    case twoStepNotBegun = "two_step_not_begun"
    /// The second step is off.
    case twoStepNotOn = "two_step_not_on"
    /// The user must set up a second step first.
    case twoStepRequired = "two_step_required"
    /// The name is in use.
    case usernameTaken = "username_taken"
    /// Not an amount.
    case amountInvalid = "amount_invalid"
    /// Not a name that can be shown.
    case displayNameInvalid = "display_name_invalid"
    /// Not the name of a context.
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
    /// The password has more than 511 bytes.
    case passwordTooLong = "password_too_long"
    /// The password has fewer than 15 characters.
    case passwordTooShort = "password_too_short"
    /// The password has characters that Unicode has not assigned.
    case passwordUnassigned = "password_unassigned"
    /// The new password is the present one.
    case passwordUnchanged = "password_unchanged"
    /// Not a user name.
    case usernameInvalid = "username_invalid"

    /// Whether the form is right and a rule or the present state forbids it; otherwise the form is
    /// not accepted.
    package var isRefusal: Bool {
      switch self {
      case .accountNotFound, .balanceNotZero, .idempotencyKeyReused, .insufficientFunds, .lastAdministrator,
        .notDatabaseOwner, .payeeDisabled, .payeeFull, .payeeIsPayer, .payeeUnknown, .registrationClosed,
        .sessionMismatch, .sessionNotFound, .twoStepAlreadyOn, .twoStepNotBegun, .twoStepNotOn, .twoStepRequired,
        .usernameTaken:
        true
      case .amountInvalid, .displayNameInvalid, .idempotencyKeyInvalid, .passwordBlocked,
        .passwordContainsName, .passwordHasNul, .passwordNotText, .passwordRepeats, .passwordTooLong, .passwordTooShort,
        .passwordUnassigned, .passwordUnchanged, .usernameInvalid:
        false
      }
    }

    /// The meaning as a clause, for a list of codes.
    public var meaning: String {
      switch self {
      case .accountNotFound: "no account has this name"
      case .balanceNotZero: "the account still has money"
      case .idempotencyKeyReused: "the key names another payment"
      case .insufficientFunds: "the balance is smaller than the amount"
      case .lastAdministrator: "it is the last administrator who can enable accounts"
      case .notDatabaseOwner: "a service does not let you act as the owner of its database"
      case .payeeDisabled: "the account that would be paid is disabled"
      case .payeeFull: "the account that would be paid cannot hold that much"
      case .payeeIsPayer: "a payment to yourself"
      case .payeeUnknown: "no account has the name that would be paid"
      case .registrationClosed: "only an administrator may create accounts"
      case .sessionMismatch: "a key of another session was used"
      case .sessionNotFound: "the user has no active session of this name"
      case .twoStepAlreadyOn: "the second step is on already"
      case .twoStepNotBegun: "there is no secret that a code could confirm"
      case .twoStepNotOn: "the second step is off"
      case .twoStepRequired: "you must set up a second step first"
      case .usernameTaken: "the name is in use"
      case .amountInvalid: "not an amount"
      case .displayNameInvalid: "not a name that can be shown"
      case .idempotencyKeyInvalid: "not an idempotency key"
      case .passwordBlocked: "the password is too common"
      case .passwordContainsName: "the password contains the name"
      case .passwordHasNul: "a NUL byte in a password"
      case .passwordNotText: "the password is not UTF-8"
      case .passwordRepeats: "the password is one character repeated, or only blanks"
      case .passwordTooLong: "the password has more than 511 bytes"
      case .passwordTooShort: "the password has fewer than 15 characters"
      case .passwordUnassigned: "the password has characters that Unicode has not assigned"
      case .passwordUnchanged: "the new password is the present one"
      case .usernameInvalid: "not a user name"
      }
    }
  }

  private init(_ code: Code, _ description: String, hint: String) {
    self.init(code.isRefusal ? .refused : .invalid, code.rawValue, description, hint: hint)
  }
}

// One place for what each rule says. `unavailable` has the causes of each backend and is not in
// this table.
extension BackendError {
  package static func accountNotFound(_ name: Username) -> BackendError {
    BackendError(.accountNotFound, "There is no account '\(name)'.", hint: "Check the name.")
  }

  package static func balanceNotZero(_ balance: Int64, of name: String) -> BackendError {
    BackendError(
      .balanceNotZero, "The account '\(name)' still has \(Amount.text(balance)).",
      hint: "Its owner pays it to another account first; an account can be deleted when its balance is 0.00.")
  }

  package static func idempotencyKeyReused(_ key: IdempotencyKey, for receipt: Receipt) -> BackendError {
    BackendError(
      .idempotencyKeyReused, "The key '\(key)' was used for another payment: \(receipt.amount) to \(receipt.payee).",
      hint: "Use a new key for a new payment.")
  }

  package static func insufficientFunds(balance: Int64, for amount: Amount) -> BackendError {
    BackendError(
      .insufficientFunds, "Your balance is \(Amount.text(balance)), which is less than \(amount).",
      hint: "Pay at most your balance.")
  }

  package static func lastAdministrator(_ name: String) -> BackendError {
    BackendError(
      .lastAdministrator, "'\(name)' is the last administrator who can enable accounts.",
      hint: "Make another account an administrator first.")
  }

  package static let notDatabaseOwner = BackendError(
    .notDatabaseOwner, "A service does not let you act as the owner of its database.",
    hint: "Ask an administrator, or an operator of the service, who runs: auth-service reset-password USER")

  package static func payeeDisabled(_ name: Username) -> BackendError {
    BackendError(.payeeDisabled, "The account '\(name)' is disabled.", hint: "An administrator can enable it.")
  }

  package static let payeeFull = BackendError(
    .payeeFull, "The payee's account cannot hold that much.", hint: "Pay less.")

  package static let payeeIsPayer = BackendError(.payeeIsPayer, "You cannot pay yourself.", hint: "Name another user.")

  package static func payeeUnknown(_ name: Username) -> BackendError {
    BackendError(.payeeUnknown, "There is no account '\(name)'.", hint: "Check the name.")
  }

  package static let registrationClosed = BackendError(
    .registrationClosed, "Registration is closed.", hint: "Ask an administrator to create the account.")

  package static let sessionMismatch = BackendError(
    .sessionMismatch, "The key belongs to another session than the lease.", hint: "Use the key of the leased session.")

  package static func sessionNotFound(_ id: SessionID) -> BackendError {
    BackendError(
      .sessionNotFound, "You have no active session '\(id.rawValue.escaped)'.", hint: "List your sessions.")
  }

  package static let twoStepAlreadyOn = BackendError(
    .twoStepAlreadyOn, "The second step is on already.", hint: "Turn it off first, with a code of the present device.")

  package static let twoStepNotBegun = BackendError(
    .twoStepNotBegun, "There is no secret that a code could confirm.", hint: "Make a secret first.")

  package static let twoStepNotOn = BackendError(
    .twoStepNotOn, "The second step is off.", hint: "There is nothing to turn off.")

  package static let twoStepRequired = BackendError(
    .twoStepRequired, "Administrators of this database need a second step, and you have none.",
    hint: "Set it up, and repeat the request.")

  package static func usernameTaken(_ name: Username) -> BackendError {
    BackendError(
      .usernameTaken, "The name '\(name)' is taken.",
      hint: "Choose another name; those of deleted accounts are not given again.")
  }

  package static func amountInvalid(_ quoted: String) -> BackendError {
    BackendError(
      .amountInvalid, "'\(quoted.escaped)' is not an amount.",
      hint: "Write an amount such as 12 or 12.50, more than 0 and at most \(Amount.largest).")
  }

  package static func displayNameInvalid(_ shown: String, because reason: String) -> BackendError {
    BackendError(
      .displayNameInvalid, "\(shown) cannot be shown as a name: it \(reason).", hint: "Use \(DisplayName.rule).")
  }

  package static let idempotencyKeyInvalid = BackendError(
    .idempotencyKeyInvalid, "That is not an idempotency key.", hint: "Use \(IdempotencyKey.rule).")

  package static let passwordBlocked = BackendError(
    .passwordBlocked, "The password is too common.", hint: "Choose one that only you use.")

  package static let passwordContainsName = BackendError(
    .passwordContainsName, "The password contains the name of the account.", hint: "Choose another.")

  package static let passwordHasNul = BackendError(
    .passwordHasNul, "The password contains a NUL character.", hint: "Choose another.")

  package static let passwordNotText = BackendError(
    .passwordNotText, "The password is not valid UTF-8.", hint: "Check the encoding of the input.")

  package static let passwordRepeats = BackendError(
    .passwordRepeats, "The password is one repeated character, or only spaces.",
    hint: "Several words make a good password; spaces are allowed.")

  package static func passwordTooLong(bytes: Int) -> BackendError {
    BackendError(
      .passwordTooLong, "The password has \(bytes) bytes; at most \(NormalizedPassword.longest) are accepted.",
      hint: "Choose a shorter one; passwords are never cut off.")
  }

  package static func passwordTooShort(characters: Int) -> BackendError {
    BackendError(
      .passwordTooShort,
      "The password has \(characters) character\(characters == 1 ? "" : "s"); at least \(PasswordPolicy.shortest) are needed.",
      hint: "Several words make a good password; spaces are allowed.")
  }

  package static let passwordUnassigned = BackendError(
    .passwordUnassigned, "The password contains characters that Unicode has not assigned.",
    hint: "Choose other characters.")

  package static let passwordUnchanged = BackendError(
    .passwordUnchanged, "The new password is the same as the current one.", hint: "Choose another; nothing was changed."
  )

  package static func usernameInvalid(_ shown: String) -> BackendError {
    BackendError(.usernameInvalid, "\(shown) is not a user name.", hint: "Use \(Username.rule).")
  }
}
