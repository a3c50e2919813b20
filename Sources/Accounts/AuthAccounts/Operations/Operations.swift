package import AuthCore

/// The operations of a backend.
///
/// The methods of ``Backend`` and ``AuthCore/Authority`` with the same names say what they do. The
/// key of an operation, `_` here, follows from what it needs; see ``KeyNeeds``.
package enum Operations {
  private typealias Operation = BackendOperation

  // Sessions, as `Authority` has them.
  package static let logIn = Operation<(Credentials, LimitRequest, NewSession), Grant, _>(
    .logIn, .grant, .hashes, lost: .repeatable, needs: .noSession)
  package static let reauthenticate = Operation<(SessionToken, Secret, LimitRequest, SessionToken), Grant, _>(
    .reauthenticate, .grant, .hashes, lost: .repeatable, needs: .noSession)
  package static let answer = Operation<(Secret, SessionToken, NewSession), Grant, _>(
    .answer, .grant, .writes, lost: .repeatable, needs: .noSession)
  package static let resume = Operation<SessionToken, Grant, _>(
    .resume, .grant, .writes, lost: .readAgain, needs: .noSession)
  package static let lookUp = Operation<SessionToken, Grant?, _>(.lookUp, .found, .reads, needs: .noSession)
  package static let inspect = Operation<SessionToken, Grant, _>(.inspect, .grant, .reads, needs: .noSession)
  package static let renew = Operation<SessionToken, Grant, _>(
    .renew, .grant, .writes, lost: .repeatable, needs: .noSession)
  package static let confirm = Operation<SessionToken, Void, _>(.confirm, .writes, lost: .repeatable, needs: .noSession)
  package static let revoke = Operation<(SessionToken, EndReason), Void, _>(
    .revoke, .writes, lost: .repeatable, needs: .noSession)

  // Before a password is typed.
  package static let checkUsername = Operation<String, Void, _>(.checkUsername, .reads, needs: .noSession)
  package static let checkPassword = Operation<(Secret, String), Void, _>(.checkPassword, .reads, needs: .noSession)
  package static let checkForLogins = Operation<(), Void, _>(.checkForLogins, .reads, needs: .noSession)

  // Accounts.
  package static let register = Operation<(String, Secret, String?), User, _>(
    .register, .user, .hashes, needs: .noSession)
  package static let profile = Operation<SessionToken, Profile, _>(.profile, .profile, .reads, needs: .active)
  package static let rename = Operation<(String, SessionToken), Profile, _>(.rename, .profile, .writes, needs: .active)
  package static let changePassword = Operation<(Secret, Secret, SessionToken, SessionToken), Grant, _>(
    .changePassword, .grant, .hashes, lost: .repeatable, needs: .recentPassword)
  package static let deleteOwnAccount = Operation<SessionToken, Void, _>(
    .deleteOwnAccount, .writes, needs: .recentPassword)

  // A forgotten password.
  package static let makeRecoveryCodes = Operation<SessionToken, [RecoveryCode], _>(
    .makeRecoveryCodes, .recoveryCodes, .writes, needs: .recentPassword
  ).responding(with: .recoveryCodes)
  package static let recover = Operation<(String, RecoveryCode, Secret), User, _>(
    .recover, .user, .hashes, needs: .noSession)
  package static let resetPassword = Operation<(Username, SessionToken), OneTimeCode, _>(
    .resetPassword, .oneTimeCode, .writes, needs: .roleAndRecentPassword("accounts"))
  package static let resetPasswordAsOwner = Operation<Username, OneTimeCode, _>(
    .resetPasswordAsOwner, .oneTimeCode, .writes, needs: .noSession)

  // A second step.
  package static let twoStep = Operation<SessionToken, TwoStepState, _>(
    .twoStep, .twoStep, .reads, needs: .beforeTwoStep)
  package static let beginTwoStep = Operation<SessionToken, TwoStepSecret, _>(
    .beginTwoStep, .twoStepSecret, .writes, needs: .recentPasswordBeforeTwoStep)
  package static let confirmTwoStep = Operation<(Secret, SessionToken), Void, _>(
    .confirmTwoStep, .writes, needs: .recentPasswordBeforeTwoStep)
  package static let endTwoStep = Operation<(Secret, SessionToken), Void, _>(
    .endTwoStep, .writes, needs: .recentPassword)
  package static let twoStepPolicy = Operation<SessionToken, TwoStepPolicy, _>(
    .twoStepPolicy, .twoStepPolicy, .reads, needs: .role("two-step"))
  package static let setTwoStepPolicy = Operation<(TwoStepPolicy, SessionToken), Void, _>(
    .setTwoStepPolicy, .writes, needs: .roleAndRecentPassword("two-step"))

  // The sessions of a user.
  package static let sessions = Operation<(SessionsPage, SessionToken), [SessionSummary], _>(
    .sessions, .sessions, .reads, needs: .active
  ).listing(\.0, \.limit) { $0.after = $1.last.map { .init(createdAt: $0.createdAt, id: $0.id) } }
  package static let revokeSession = Operation<(SessionID, SessionToken), Void, _>(
    .revokeSession, .writes, needs: .recentPassword)
  package static let endAllSessions = Operation<SessionToken, Int, _>(
    .endAllSessions, .count, .writes, needs: .beforeTwoStep)

  // Payments and events.
  package static let earlierPayment = Operation<(PaymentOrder, SessionToken), Receipt?, _>(
    .earlierPayment, .earlier, .reads, needs: .active)
  // Under a key a payment whose answer was lost is repeated, and made once.
  package static let pay = Operation<(PaymentOrder, SessionToken), Receipt, _>(
    .pay, .receipt, .writes, lost: .repeatable, needs: .recentPassword
  ).retrying(with: { order, _ in order.key.map { "--idempotency-key \($0)" } }) { (input, ask) throws(BackendError) in
    try ask((try input.0.withKey(), input.1)).withoutDrawnKey
  }
  package static let receipts = Operation<(Page, SessionToken), Found<Receipt>, _>(
    .receipts, .receipts, .reads, needs: .active
  ).searching(\.0, shown: { Found($0.map(\.withoutDrawnKey), stop: $0.stop) }) { $0.id }
  package static let events = eventList(needs: .active)
  package static let allEvents = eventList("allEvents", needs: .role("events"))

  private static func eventList<Key>(
    _ name: String? = nil, needs: KeyNeeds<Key>
  ) -> BackendOperation<(EventScope, Page, SessionToken), Found<Event>, Key> {
    BackendOperation(.events, .events, .reads, needs: needs, name: name).searching(\.1) { $0.id }
  }

  // Administration.
  package static let accounts = Operation<(AccountsQuery, SessionToken), [AccountSummary], _>(
    .accounts, .accounts, .reads, needs: .role("accounts")
  ).listing(\.0, \.limit) { $0.after = $1.last?.user.username }
  package static let account = Operation<(Username, SessionToken), AccountSummary, _>(
    .account, .account, .reads, needs: .role("accounts"))
  package static let setDisabled = Operation<(Bool, Username, SessionToken), AccountSummary, _>(
    .setDisabled, .account, .writes, needs: .roleAndRecentPassword("accounts"))
  package static let unlock = Operation<(Username, SessionToken), AccountSummary, _>(
    .unlock, .account, .writes, needs: .roleAndRecentPassword("accounts"))
  package static let setRole = Operation<(Role, Username, SessionToken), AccountSummary, _>(
    .setRole, .account, .writes, needs: .roleAndRecentPassword("accounts"))
  package static let deleteAccount = Operation<(Username, SessionToken), Void, _>(
    .deleteAccount, .writes, needs: .roleAndRecentPassword("accounts"))
  package static let registration = Operation<SessionToken, Registration, _>(
    .registration, .registration, .reads, needs: .role("registration"))
  package static let setRegistration = Operation<(Registration, SessionToken), Void, _>(
    .setRegistration, .writes, needs: .roleAndRecentPassword("registration"))
  package static let registerOther = Operation<(String, SessionToken), OneTimeCode, _>(
    .registerOther, .oneTimeCode, .writes, needs: .roleAndRecentPassword("registration"))
  package static let noteView = Operation<(String, SessionToken), Void, _>(.noteView, .writes, needs: .role("accounts"))

  // Groups, and proofs for tools.
  package static let setMembership = Operation<(Bool, [Username], GroupName, SessionToken), Void, _>(
    .setMembership, .writes, lost: .repeatable, needs: .roleAndRecentPassword("groups"))
  package static let ownGroups = Operation<SessionToken, [GroupName], _>(.ownGroups, .groups, .reads, needs: .active)
  package static let groupsOfAccount = Operation<(Username, SessionToken), [GroupName], _>(
    .groupsOfAccount, .groups, .reads, needs: .role("groups"))
  package static let groups = Operation<(GroupPage, SessionToken), [GroupName], _>(
    .groups, .groups, .reads, needs: .role("groups")
  ).listing(\.0, \.limit) { $0.after = $1.last?.canonical }
  package static let members = Operation<(GroupName, GroupPage, SessionToken), [AccountSummary], _>(
    .members, .accounts, .reads, needs: .role("groups")
  ).listing(\.1, \.limit) { $0.after = $1.last?.user.username }
  package static let prove = Operation<(Username, SessionToken), ToolProof, _>(
    .prove, .proof, .writes, lost: .readAgain, needs: .active
  ).responding(with: .newProof)
  package static let verify = Operation<(ToolProof, SessionToken), ProvenUser, _>(
    .verify, .provenUser, .writes, needs: .active)

  /// The operations that a service performs for its clients, by their numbers.
  package static let all: [OperationNumber: any AnyOperation] = Dictionary(
    uniqueKeysWithValues: ([
      logIn, reauthenticate, answer, resume, lookUp, inspect, renew, confirm, revoke, checkUsername, checkPassword,
      checkForLogins, register, profile, rename, changePassword, deleteOwnAccount, makeRecoveryCodes, recover,
      resetPassword, resetPasswordAsOwner, twoStep, beginTwoStep, confirmTwoStep, endTwoStep, twoStepPolicy,
      setTwoStepPolicy, sessions, revokeSession, endAllSessions, earlierPayment, pay, receipts, events, accounts,
      account, setDisabled, unlock, setRole, deleteAccount, registration, setRegistration, registerOther, noteView,
      setMembership, ownGroups, groupsOfAccount, groups, members, prove, verify,
    ] as [any AnyOperation]).map { ($0.number, $0) })
}

extension WireParts<[RecoveryCode]> {
  /// New codes, which are printed as they are.
  fileprivate static let recoveryCodes = WireParts(
    called: RecoveryCode.name, { (codes: [RecoveryCode]) in codes.allSatisfy(\.isWellFormed) ? codes : nil },
    { @Sendable (codes: [RecoveryCode]) in codes })
}

extension WireParts<ToolProof> {
  /// A new proof, which is printed as it is.
  fileprivate static let newProof = WireParts(
    called: "proof", { (proof: ToolProof) in proof.isWellFormed ? proof : nil },
    { @Sendable (proof: ToolProof) in proof })
}
