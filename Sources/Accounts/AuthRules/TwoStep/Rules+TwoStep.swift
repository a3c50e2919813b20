package import AuthAccounts
package import AuthCore
import TextFormat

extension Rules {
  package func twoStep(token: SessionToken) throws(BackendError) -> TwoStepState {
    try reading(token, Operations.twoStep.needs) { (db, own) throws(BackendError) in
      let row = try db.twoStep(of: own.account)
      let policy = try db.twoStepPolicy()
      return TwoStepState(
        since: row?.lastStep == nil ? nil : row?.since, isPending: row.map { $0.lastStep == nil } ?? false,
        recoveryCodes: try db.recoveryCodes(of: own.account),
        isRequired: own.user.role == .administrator && policy == .required)
    }
  }

  package func beginTwoStep(token: SessionToken) throws(BackendError) -> TwoStepSecret {
    try writing(token, Operations.beginTwoStep.needs) { (db, own) throws(BackendError) in
      try db.lock(.account(own.account))
      guard try db.twoStep(of: own.account)?.lastStep == nil else { throw .refused(.twoStepAlreadyOn) }
      let secret = try Secrets.random(count: TOTP.secretLength)
      try db.run(TwoStepQuery.begin, own.account, secret)
      return TwoStepSecret(bytes: secret, username: own.user.username)
    }
  }

  package func confirmTwoStep(_ code: Secret, token: SessionToken) throws(BackendError) {
    try writing(token, Operations.confirmTwoStep.needs) { (db, own) throws(BackendError) in
      try db.lock(.account(own.account))
      guard let row = try db.twoStep(of: own.account) else { throw .refused(.twoStepNotBegun) }
      guard row.lastStep == nil else { throw .refused(.twoStepAlreadyOn) }
      let time = db.wallTime
      guard let step = TOTP(secret: row.secret).step(of: code.bytes, at: time, after: .min) else {
        throw .credentialsNotAccepted
      }
      try db.run(TwoStepQuery.turnOn, step, time, own.account)
      try db.record(.twoStepOn, by: own)
    }
  }

  package func endTwoStep(_ code: Secret, token: SessionToken) throws(BackendError) {
    let outcome = try allowedAttempt { () throws(BackendError) in
      try writing(token, Operations.endTwoStep.needs, asActivity: false) {
        (db, own) throws(BackendError) -> (PasswordAttempt, Result<Void, BackendError>?) in
        try db.lock(.account(own.account))
        let account = try db.account(own.account)
        guard account.hasSecondStep else { throw .refused(.twoStepNotOn) }
        let attempt = try db.countAttempt(on: account)
        guard attempt.decision == .allow else { return (attempt, nil) }
        try db.touch(own)
        guard let used = try db.use(code, of: account.id) else {
          try db.refuse(attempt, actor: account.id)
          return (attempt, .failure(try db.clockFault(of: account.id) ?? .credentialsNotAccepted(after: attempt.guess)))
        }
        try db.store(ThrottleRecord(), account: account.id)
        try db.run(TwoStepQuery.turnOff, account.id)
        try db.record(.twoStepOff, by: own, detail: used.words ?? "code")
        return (attempt, .success(()))
      }
    }
    try outcome.get()
  }

  package func twoStepPolicy(token: SessionToken) throws(BackendError) -> TwoStepPolicy {
    try reading(token, Operations.twoStepPolicy.needs) { (db, _) throws(BackendError) in try db.twoStepPolicy() }
  }

  package func setTwoStepPolicy(_ policy: TwoStepPolicy, token: SessionToken) throws(BackendError) {
    try writing(token, Operations.setTwoStepPolicy.needs, .everything) { (db, own) throws(BackendError) in
      if try db.twoStepPolicy() == policy { return }
      try db.run(TwoStepQuery.setPolicy, policy == .required)
      try db.record(.administered, by: own, detail: "two-step \(policy.rawValue)")
    }
  }
}

/// The code that an operation used up.
struct UsedCode: Sendable {
  /// For the detail of an event; nil for a code of the app, which is usual.
  var words: String?
}

extension Transaction {
  fileprivate func twoStepPolicy() throws(BackendError) -> TwoStepPolicy {
    try setting(TwoStepQuery.policy) ? .required : .optional
  }

  /// Refuses the session of a user who must set up a second step first.
  func requireTwoStep(of own: SessionRow) throws(BackendError) {
    if try lacksTwoStep(own) { throw .refused(.twoStepRequired) }
  }

  /// Whether the user of a session must set up a second step before anything else.
  func lacksTwoStep(_ own: SessionRow) throws(BackendError) -> Bool {
    guard own.user.role == .administrator, try twoStepPolicy() == .required else { return false }
    return try twoStep(of: own.account)?.lastStep == nil
  }

  fileprivate func twoStep(of account: Int64) throws(BackendError) -> TwoStepRow? {
    try first(TwoStepQuery.find, account)
  }

  /// Uses up a right code, in the transaction to which it grants access, so that it works once.
  ///
  /// It reads and computes the same for every input.
  ///
  /// - Returns: The code; nil for a wrong one.
  func use(_ typed: Secret, of account: Int64) throws(BackendError) -> UsedCode? {
    let row = try twoStep(of: account)
    let code = RecoveryCode(typed: typed.bytes)
    let stored: CodeRow? = try first(CodeQuery.find, account, code.digest)
    guard let row, let last = row.lastStep else { return nil }
    let step = TOTP(secret: row.secret).step(of: typed.bytes, at: wallTime, after: last)
    if let step, try changes(of: TwoStepQuery.use, step, account) > 0 { return UsedCode() }
    guard let stored, stored.isRecoveryCode else { return nil }
    try run(CodeQuery.use, account, code.digest)
    return UsedCode(words: "recovery code, \(try recoveryCodes(of: account)) left")
  }

  /// Why every code of the app is refused now: the clock was ahead when one was used, and those of
  /// the time before that one stay void.
  func clockFault(of account: Int64) throws(BackendError) -> BackendError? {
    guard let last = try twoStep(of: account)?.lastStep, last > TOTP.step(at: wallTime) + TOTP.drift else { return nil }
    return .unavailable(.clockWasAhead, UTCTime(seconds: min(last, .max / TOTP.period) * TOTP.period).iso8601)
  }

  /// Counts and logs a wrong code.
  func refuse(_ attempt: PasswordAttempt, actor: Int64?) throws(BackendError) {
    try fail(attempt)
    try record(.twoStepFailed, account: attempt.account?.id, actor: actor)
  }
}

/// The second step of an account as it is stored.
private struct TwoStepRow: RowDecodable {
  let secret: [UInt8]
  /// The last time step that opened something; nil until a first code confirmed the secret.
  let lastStep: Int64?
  let since: WallTime

  init(_ row: Row) throws(BackendError) {
    (secret, lastStep, since) = (try row[0], try row[1], try row[2])
  }
}

package enum TwoStepQuery: String, Query {
  case find = "SELECT secret, last_step, since FROM two_steps WHERE account = $1"
  case begin = """
    INSERT INTO two_steps(account, secret) VALUES ($1, $2) ON CONFLICT(account) DO UPDATE SET secret = excluded.secret
    """
  case turnOn = "UPDATE two_steps SET last_step = $1, since = $2 WHERE account = $3 AND last_step IS NULL"
  /// A time step opens once, and after it none before it.
  case use = "UPDATE two_steps SET last_step = $1 WHERE account = $2 AND last_step < $1"
  case turnOff = "DELETE FROM two_steps WHERE account = $1"
  case policy = "SELECT two_step_required FROM authority WHERE id = 1"
  case setPolicy = "UPDATE authority SET two_step_required = $1 WHERE id = 1"
}
