public import AuthBackend
public import AuthCore
import AuthDevice
import TextFormat

/// Codes for forgotten passwords, who may register, and how an account ends.
extension PostgresBackend {
  package func makeRecoveryCodes(token: SessionToken) throws(BackendError) -> [RecoveryCode] {
    var codes: [RecoveryCode] = []
    for _ in 0..<RecoveryPolicy.codes { codes.append(try draw()) }
    _ = try call("make_recovery_codes", token, [.bytes(codes.flatMap(Self.hash))], .repeatable)
    return codes
  }

  /// See ``AuthBackend/Backend/recover(username:code:password:)``.
  ///
  /// The new password is hashed before anything is asked, so every answer costs a hash. It may be
  /// the present one: a client that owns its transaction could guess that, and roll the count back.
  public func recover(username: String, code: RecoveryCode, password: Password) throws(BackendError) -> User {
    let name = try Username(username)
    let new = try PasswordPolicy.accept(password, for: name)
    let hash = try hasher.hash(new)
    let answer = try server.first(
      try server.call(
        "recover",
        [
          .text(name.canonical), .bytes(code.canonical), .text(Self.setting(of: hash)),
          .bytes(SHA256.hash(Array(hash.utf8))),
        ], .repeatable))
    try take(answer)
    switch answer.text(0) {
    case "code_not_accepted": throw .codeNotAccepted
    case "wait", "retry": throw .throttled(.wait(.nanoseconds(answer.number(6) ?? 0)))
    case "locked": throw .throttled(.locked)
    case _: return try user(answer, from: 2)
    }
  }

  package func resetPassword(of name: Username, token: SessionToken) throws(BackendError) -> OneTimeCode {
    let code = try draw()
    let answers = try call(
      "reset_password", token, [.text(name.canonical), .bytes(Self.hash(code))], .repeatable)
    return try issued(code, validFor: RecoveryPolicy.reset, to: name, try server.first(answers))
  }

  /// See ``AuthBackend/Backend/resetPasswordAsOwner(of:)``.
  ///
  /// The server decides by the role that is connected.
  public func resetPasswordAsOwner(of name: Username) throws(BackendError) -> OneTimeCode {
    let code = try draw()
    let answer = try server.first(
      try server.call(
        "reset_password_as_owner", [.text(name.canonical), .bytes(Self.hash(code))], .repeatable))
    try take(answer)
    return try issued(code, validFor: RecoveryPolicy.reset, to: name, answer)
  }

  package func registerOther(username: String, token: SessionToken) throws(BackendError) -> OneTimeCode {
    let name = try Username(username)
    let shown = try DisplayName(username)
    // A verifier that no password has: it is drawn, and the setting is that of a password that
    // nobody typed.
    let unknown = Password(bytes: Array(Hex.text(try Secrets.random(count: 32)).utf8))
    let hash = try hasher.hash(try PasswordPolicy.normalize(unknown))
    let code = try draw()
    let answers = try call(
      "register_other", token,
      [
        .text(name.canonical), .text(shown.text), .text(Self.setting(of: hash)),
        .bytes(try Secrets.random(count: 32)), .bytes(Self.hash(code)),
      ], .repeatable)
    let answer = try server.first(answers)
    try requireFree(name, answer)
    return try issued(code, validFor: RecoveryPolicy.registration, to: name, answer)
  }

  private func issued(
    _ code: RecoveryCode, validFor: Duration, to name: Username, _ answer: Answer
  ) throws(BackendError) -> OneTimeCode {
    switch answer.text(0) {
    case "account_not_found": throw .accountNotFound(name)
    case "not_database_owner": throw .notDatabaseOwner
    case _: return OneTimeCode(user: try user(answer, from: 2), code: code, validFor: validFor)
    }
  }

  package func registration(token: SessionToken) throws(BackendError) -> Registration {
    try server.first(try call("registration", token, [], .none)).number(2) == 1 ? .closed : .open
  }

  package func setRegistration(_ registration: Registration, token: SessionToken) throws(BackendError) {
    _ = try call("set_registration", token, [.flag(registration == .closed)], .once)
  }

  package func deleteAccount(token: SessionToken) throws(BackendError) {
    let name = try profile(token: token).user.username
    try deleted(try Username(name), try call("delete_account", token, [.text(nil)], .once))
  }

  package func deleteAccount(_ name: Username, token: SessionToken) throws(BackendError) {
    try deleted(name, try call("delete_account", token, [.text(name.canonical)], .once))
  }

  private func deleted(_ name: Username, _ answers: [Answer]) throws(BackendError) {
    let answer = try server.first(answers)
    switch answer.text(0) {
    case "ok": return
    case "account_not_found": throw .accountNotFound(name)
    case "last_administrator": throw .lastAdministrator(name.canonical)
    case "balance_not_zero": throw .balanceNotZero(answer.number(2) ?? 0, of: name.canonical)
    case _: throw server.malformed()
    }
  }

  private func draw() throws(BackendError) -> RecoveryCode {
    RecoveryCode(drawn: try Secrets.randomName(length: RecoveryCode.length))
  }

  private static func hash(_ code: RecoveryCode) -> [UInt8] { SHA256.hash(code.canonical) }
}
