import AuthAccounts
import AuthCore
import AuthCoreTesting

/// Performs operations, with answers that name their operation.
protocol BackendCaller {
  var backend: any Backend { get }
}

extension BackendCaller {
  func ask<each Part: Sendable, Output, Key>(
    _ operation: BackendOperation<(repeat each Part), Output, Key>, _ part: repeat each Part
  ) -> Answer<Output> {
    Answer(operation.name) { () throws(BackendError) in try backend.perform(operation, on: (repeat each part)) }
  }
}

/// Calls a backend, and turns unexpected answers into breaches.
struct BackendProbe: BackendCaller, AuthorityProbe {
  let subject: BackendContract.Subject

  var backend: any Backend { subject.backend }
  var authority: any Authority { backend }

  @discardableResult
  func register(_ name: String) throws -> User {
    if let administrator = subject.administrator, administrator.username == name { return administrator }
    return try registration(of: name, .of(name)).value("register of \(name)")
  }

  func registration(of name: String, _ password: Secret = .new, shownAs displayName: String? = nil) -> Answer<User> {
    ask(Operations.register, name, password, displayName)
  }

  func check(newUsername name: String) -> Answer<Void> { ask(Operations.checkUsername, name) }

  /// Checks a password for carol.
  func check(newPassword password: Secret) -> Answer<Void> { ask(Operations.checkPassword, password, "carol") }

  /// Registers alice, the administrator, and bob, and logs both in.
  func aliceAndBob() async throws -> (alice: Login, bob: Login) {
    try register("alice")
    try register("bob")
    return (try await logIn("alice"), try await logIn("bob"))
  }

  /// Logs in with the right password, and the answer to a second step if it is required.
  func logIn(_ name: String, _ password: Secret? = nil, answer: Secret? = nil) async throws -> Login {
    let grant = try await logIn(.of(name, password), limits: .standard, answer: answer.map { answer in { answer } })
    return Login(backend: backend, grant: grant)
  }

  /// The error of a login; a breach if it succeeds.
  func loginFailure(_ name: String, _ password: Secret? = nil) async throws -> AuthorityError<CredentialsRejection> {
    do throws(AuthorityError<CredentialsRejection>) {
      _ = try await backend.authenticate(.of(name, password), limits: .standard)
    } catch { return error }
    throw Breach("a login of \(name) that had to be refused succeeded")
  }

  /// Requires that a login fails in one way.
  func requireFailure(
    _ what: String, of name: String, _ password: Secret? = nil,
    is failure: AuthorityError<CredentialsRejection> = .rejected(.notAccepted)
  ) async throws {
    try require(try await loginFailure(name, password), is: failure, "\(what) was answered")
  }

  /// Requires that a token is rejected in one way.
  func requireRejection(_ rejection: SessionRejection, of token: SessionToken, _ what: String) async throws {
    try require(try await self.rejection(of: token, what), is: rejection, "\(what) was answered")
  }

  /// Enters a wrong password for `name` several times.
  func guess(_ name: String, times: Int) async throws {
    for _ in 0..<times { _ = try await loginFailure(name, .wrong) }
  }

  /// Sets a new password with a recovery code.
  func recover(_ name: String, _ code: RecoveryCode, _ password: Secret = .new) -> Answer<User> {
    ask(Operations.recover, name, code, password)
  }

  /// Requires that one of several callers at once succeeds; the throttle permits as many.
  func requireOneSuccess<Value>(_ what: String, _ operation: @escaping @Sendable () throws -> Value) async throws {
    let callers = 4
    let successes = await withTaskGroup(of: Bool.self) { group in
      for _ in 0..<callers { group.addTask { (try? operation()) != nil } }
      return await group.reduce(0) { $1 ? $0 + 1 : $0 }
    }
    try require(successes == 1, "\(successes) of \(callers) at once \(what)")
  }
}

/// What a backend answered to an operation.
struct Answer<Value> {
  let operation: String
  let result: Result<Value, BackendError>

  init(_ operation: String, _ ask: () throws(BackendError) -> Value) {
    (self.operation, result) = (operation, Result(catching: ask))
  }

  func map<Other>(_ transform: (Value) -> Other) -> Answer<Other> {
    Answer<Other>(operation) { () throws(BackendError) in transform(try result.get()) }
  }

  @discardableResult
  func value(_ what: String? = nil) throws -> Value {
    switch result {
    case .success(let value): return value
    case .failure(let error): throw Breach("\(what ?? operation) was refused with \(error.code): \(error)")
    }
  }

  func refused(_ what: String, with code: String, _ kind: BackendError.Kind = .refused) throws {
    switch result {
    case .success: throw Breach("\(what) was accepted")
    case .failure(let error):
      try require(error.code == code, "\(what) was refused with \(error.code) instead of \(code)")
      try require(error.kind == kind, "\(what) was refused with the kind \(error.kind) instead of \(kind)")
    }
  }

  /// The one answer for everything that does not open an account.
  func notAccepted(_ what: String) throws {
    // Its value is the wait that begins with a wrong guess, if one does.
    try refused(what, with: BackendError.credentialsNotAccepted.code, .credentials)
  }

  func ended(_ what: String, _ reason: EndReason) throws {
    try refused(what, with: "session_\(reason.code)", .session(.ended(reason)))
  }

  var error: BackendError? {
    if case .failure(let error) = result { error } else { nil }
  }
}

extension Secret {
  static let new = Secret("a quite new passphrase")
  static let newer = Secret("a copper kettle in the meadow")
  static let wrong = Secret("not the right password")

  /// The password with which an account is registered.
  static func of(_ name: String) -> Secret {
    switch name {
    case BackendContract.administrator.username: BackendContract.administrator.password
    case "bob": Secret("another good passphrase")
    case _: Secret("three walnuts under snow")
    }
  }
}

extension Credentials {
  static func of(_ name: String, _ password: Secret? = nil) -> Credentials {
    .password(username: name, password: password ?? .of(name))
  }
}

extension RecoveryCode {
  static let wrong = RecoveryCode(typed: Array("00000-00000-00000-00000-00000".utf8))
}
