package import AuthCore
import TextFormat

extension Rules {
  /// Whether the session's user is asked for a code after the password.
  package func twoStep(token: SessionToken) throws(BackendError) -> TwoStepState {
    try reading(token, beforeTwoStep: true) { (db, own, _) throws(BackendError) in
      let row = try twoStep(of: own.account, in: db)
      let codes = try db.first(CodeQuery.count, .integer(own.account)) { $0.integer(0) } ?? 0
      let policy = try twoStepPolicy(in: db)
      return TwoStepState(
        since: row?.lastStep == nil ? nil : row?.since, isPending: row.map { $0.lastStep == nil } ?? false,
        recoveryCodes: Int(codes), isRequired: own.user.role == .administrator && policy == .required)
    }
  }

  /// Makes a secret, in place of one that was not confirmed.
  package func beginTwoStep(token: SessionToken) throws(BackendError) -> TwoStepSecret {
    try writing(token, beforeTwoStep: true) { (db, own, now) throws(BackendError) in
      try db.lock(.account(own.account))
      try requireFresh(own, at: now)
      guard try twoStep(of: own.account, in: db)?.lastStep == nil else { throw .refused(.twoStepAlreadyOn) }
      let secret = try Secrets.random(count: TOTP.secretLength)
      try db.run(TwoStepQuery.begin, .integer(own.account), .blob(secret))
      return TwoStepSecret(bytes: secret, username: own.user.username)
    }
  }

  /// Turns the second step on, with a code of the secret.
  package func confirmTwoStep(_ code: Secret, token: SessionToken) throws(BackendError) {
    try writing(token, beforeTwoStep: true) { (db, own, now) throws(BackendError) in
      try db.lock(.account(own.account))
      try requireFresh(own, at: now)
      guard let row = try twoStep(of: own.account, in: db) else { throw .refused(.twoStepNotBegun) }
      guard row.lastStep == nil else { throw .refused(.twoStepAlreadyOn) }
      let time = db.wallTime
      guard let step = TOTP(secret: row.secret).step(of: code.bytes, at: time, after: .min) else {
        throw .credentialsNotAccepted
      }
      try db.run(
        TwoStepQuery.turnOn, .integer(step), .integer(time.microseconds), .integer(own.account))
      try record(.twoStepOn, by: own, in: db)
    }
  }

  /// Turns the second step off, with a code or a recovery code.
  package func endTwoStep(_ code: Secret, token: SessionToken) throws(BackendError) {
    let isOff = try allowedAttempt { () throws(BackendError) in
      try writing(token, asActivity: false) { (db, own, now) throws(BackendError) -> (PasswordAttempt, Bool?) in
        try db.lock(.account(own.account))
        try requireFresh(own, at: now)
        guard try asksForCode(own.account, in: db) else { throw .refused(.twoStepNotOn) }
        let attempt = try countAttempt(on: try account(own.account, in: db), at: now, in: db)
        guard attempt.decision == .allow else { return (attempt, nil) }
        try touch(own, at: now, in: db)
        guard let used = try use(code, of: own.account, in: db) else {
          try refuse(attempt, actor: own.account, in: db)
          return (attempt, false)
        }
        try store(ThrottleRecord(), account: own.account, in: db)
        try db.run(TwoStepQuery.turnOff, .integer(own.account))
        try record(.twoStepOff, by: own, detail: used.words ?? "code", in: db)
        return (attempt, true)
      }
    }
    guard isOff else { throw .credentialsNotAccepted }
  }

  /// Who must have a second step.
  package func twoStepPolicy(token: SessionToken) throws(BackendError) -> TwoStepPolicy {
    try administering(token, reading: "two-step") { (db, _, _) throws(BackendError) in try twoStepPolicy(in: db) }
  }

  /// Changes who must have a second step.
  package func setTwoStepPolicy(_ policy: TwoStepPolicy, token: SessionToken) throws(BackendError) {
    try administeringFreshly(token, "two-step") { (db, own, _) throws(BackendError) in
      if try twoStepPolicy(in: db) == policy { return }
      try db.run(TwoStepQuery.setPolicy, .integer(policy == .required ? 1 : 0))
      try record(.administered, by: own, detail: "two-step \(policy.rawValue)", in: db)
    }
  }

  private func twoStepPolicy(in db: any Transaction) throws(BackendError) -> TwoStepPolicy {
    let isRequired = try db.first(TwoStepQuery.policy) { $0.flag(0) }
    guard let isRequired else { throw db.damaged("the row of settings is missing") }
    return isRequired ? .required : .optional
  }

  /// Refuses the session of a user who must set up a second step first.
  func requireTwoStep(of own: SessionRow, in db: any Transaction) throws(BackendError) {
    guard own.user.role == .administrator, try twoStepPolicy(in: db) == .required else { return }
    guard try asksForCode(own.account, in: db) else { throw .refused(.twoStepRequired) }
  }

  func twoStep(of account: Int64, in db: any Transaction) throws(BackendError) -> TwoStepRow? {
    try db.first(TwoStepQuery.find, .integer(account)) { TwoStepRow($0) }
  }

  /// Whether the password of an account is followed by a code.
  func asksForCode(_ account: Int64, in db: any Transaction) throws(BackendError) -> Bool {
    try twoStep(of: account, in: db)?.lastStep != nil
  }
}

/// What was used in place of a code.
enum UsedCode: Sendable {
  case code
  case recoveryCode(left: Int64)

  /// For the detail of an event; nil for what is usual.
  var words: String? {
    switch self {
    case .code: nil
    case .recoveryCode(let left): "recovery code, \(left) left"
    }
  }
}

extension Rules {
  /// Uses a code up, if it is right: in the transaction of what it opens, so that it opens once.
  ///
  /// Whatever was typed, the same is read and computed.
  ///
  /// - Returns: What it was; nil when it is wrong.
  func use(_ typed: Secret, of account: Int64, in db: any Transaction) throws(BackendError) -> UsedCode? {
    let row = try twoStep(of: account, in: db)
    let hash = SQLValue.blob(SHA256.hash(RecoveryCode(typed: typed.bytes).canonical))
    let isRecoveryCode = try db.first(CodeQuery.find, .integer(account), hash) { CodeRow($0).isRecoveryCode } ?? false
    guard let row, let last = row.lastStep else { return nil }
    let step = TOTP(secret: row.secret).step(of: typed.bytes, at: db.wallTime, after: last)
    if let step, try db.changes(of: TwoStepQuery.use, .integer(step), .integer(account)) > 0 { return .code }
    guard isRecoveryCode else { return nil }
    try db.run(CodeQuery.use, .integer(account), hash)
    return .recoveryCode(left: try db.first(CodeQuery.count, .integer(account)) { $0.integer(0) } ?? 0)
  }

  /// Writes down that a code was wrong.
  func refuse(_ attempt: PasswordAttempt, actor: Int64?, in db: any Transaction) throws(BackendError) {
    try fail(attempt, in: db)
    try record(.twoStepFailed, account: attempt.account?.id, actor: actor, in: db)
  }

  /// Runs `body`, and takes the attempt out of the count again when nothing could be checked.
  func refunding<Result>(
    _ attempt: PasswordAttempt, _ body: () throws(BackendError) -> Result
  ) throws(BackendError) -> Result {
    do throws(BackendError) {
      return try body()
    } catch {
      // If the refund fails too, for the same reason, the attempt stays counted.
      try? database.write(.rows) { (db) throws(BackendError) in try refundAttempt(attempt, in: db) }
      throw error
    }
  }
}
