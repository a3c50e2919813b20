import AuthBackend
import AuthCore
import AuthCoreTesting

typealias Answer<Value> = Result<Value, BackendError>

/// Calls a backend, and turns unexpected answers into breaches.
struct BackendProbe: AuthorityProbe {
  static let passwords = [
    BackendContract.administrator.username: BackendContract.administrator.password,
    "bob": Secret("another good passphrase"), "carol": Secret("three walnuts under snow"),
  ]
  static let wrongPassword = Secret("not the right password")
  static let newPassword = Secret("a quite new passphrase")
  static let wrongCode = RecoveryCode(typed: Array("00000-00000-00000-00000-00000".utf8))

  let subject: BackendContract.Subject

  var backend: any Backend { subject.backend }
  var authority: any Authority { backend }

  /// The password of an account; a wrong one for a name that the contract does not know.
  static func password(of name: String) -> Secret { passwords[name] ?? wrongPassword }

  static func credentials(_ name: String, _ password: Secret? = nil) -> Credentials {
    .password(username: name, password: password ?? Self.password(of: name))
  }

  func ask<Value>(_ request: BackendRequest, _ value: (BackendAnswer) -> Value?) -> Answer<Value> {
    Result { () throws(BackendError) in try backend.ask(request, value) }
  }

  @discardableResult
  func register(_ name: String, as other: String? = nil) throws -> User {
    if let administrator = subject.administrator, administrator.username == name { return administrator }
    guard let password = Self.passwords[other ?? name] else { throw Breach("the contract has no password of \(name)") }
    return try registration(of: name, password).value("register of \(name)")
  }

  func registration(of name: String, _ password: Secret, shownAs displayName: String? = nil) -> Answer<User> {
    ask(.register(username: name, password, displayName: displayName), \.user)
  }

  func check(newUsername name: String) -> Answer<Void> { ask(.checkUsername(name), \.done) }

  /// Registers alice, the administrator, and bob, and logs both in.
  func both() async throws -> (alice: Login, bob: Login) {
    try register("alice")
    try register("bob")
    return (try await logIn("alice"), try await logIn("bob"))
  }

  /// Logs in with the right password, and the answer to a second step if it is required.
  func logIn(_ name: String, _ password: Secret? = nil, answer: Secret? = nil) async throws -> Login {
    do {
      switch try await backend.authenticate(Self.credentials(name, password), limits: .standard) {
      case .granted(let grant): return Login(backend: backend, grant: grant)
      case .challenged(let challenge):
        guard let answer else { throw Breach("it needs a second step") }
        return Login(backend: backend, grant: try await grant(of: answer, to: challenge, "the right answer"))
      }
    } catch {
      throw Breach("the right password of \(name) was answered \((error as? Breach)?.finding ?? "\(error)")")
    }
  }

  /// The error of a login; a breach if it succeeds.
  func loginFailure(_ name: String, _ password: Secret) async throws -> AuthorityError<CredentialsRejection> {
    do throws(AuthorityError<CredentialsRejection>) {
      _ = try await backend.authenticate(Self.credentials(name, password), limits: .standard)
    } catch { return error }
    throw Breach("a login of \(name) that had to be refused succeeded")
  }

  /// Enters a wrong password for `name` several times.
  func guess(_ name: String, times: Int) async throws {
    for _ in 0..<times { _ = try await loginFailure(name, Self.wrongPassword) }
  }

  /// Sets a new password with a recovery code.
  func recover(_ name: String, _ code: RecoveryCode, _ password: Secret = newPassword) -> Answer<User> {
    ask(.recover(username: name, code, password), \.user)
  }

  /// The number of simultaneous operations: fewer than the throttle permits.
  static let many = 4

  /// The number of successes when ``many`` callers run an operation simultaneously.
  func successes(_ operation: @escaping @Sendable () throws -> Void) async -> Int {
    await withTaskGroup(of: Bool.self) { group in
      for _ in 0..<Self.many { group.addTask { (try? operation()) != nil } }
      return await group.reduce(0) { $1 ? $0 + 1 : $0 }
    }
  }

  func order(_ amount: Int64, to payee: String, key: String? = nil) throws -> PaymentOrder {
    let key: IdempotencyKey? = if let key { try IdempotencyKey(key) } else { nil }
    return PaymentOrder(amount: try Amount(minorUnits: amount), payee: try Username(payee), key: key)
  }

  func name(_ text: String) throws -> Username { try Username(text) }
}

extension Result where Failure == BackendError {
  func value(_ what: String) throws -> Success {
    switch self {
    case .success(let value): return value
    case .failure(let error): throw Breach("\(what) was refused with \(error.code): \(error)")
    }
  }

  @discardableResult
  func refused(_ what: String, with code: String, _ kind: BackendError.Kind) throws -> BackendError {
    switch self {
    case .success: throw Breach("\(what) was accepted")
    case .failure(let error):
      try require(error.code == code, "\(what) was refused with \(error.code) instead of \(code)")
      try require(error.kind == kind, "\(what) was refused with the kind \(error.kind) instead of \(kind)")
      return error
    }
  }
}
