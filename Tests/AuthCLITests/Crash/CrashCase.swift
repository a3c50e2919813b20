import Testing

/// A command that is killed, and what may be found afterwards.
struct CrashCase: Sendable, CustomTestStringConvertible {
  /// What is there before it runs.
  enum Start: Sendable, CaseIterable {
    /// No directory.
    case nothing
    /// Alice and bob have accounts.
    case loggedOut
    /// The same, and alice is logged in.
    case loggedIn
  }

  let name: String
  let start: Start
  let arguments: [String]
  var input = ""
  /// What `status` may say right after the death.
  let statusAfter: Set<Int32>
  /// What the same command may say when it is run again.
  let retry: Set<Int32>
  /// What `status` says once it was run again.
  let statusFinally: Int32
  /// How many transfers there are once it was run again, opening credits included.
  let transfersFinally: Int64
  /// Whether it hashes a password, for which a run takes 20 times as long.
  var hashes = true

  var testDescription: String { name }

  static let all: [CrashCase] = [
    CrashCase(
      name: "register, the first", start: .nothing, arguments: ["register", "alice", "--password-stdin"],
      input: TestHome.alice, statusAfter: [1], retry: [0, 1], statusFinally: 1, transfersFinally: 1),
    CrashCase(
      name: "register, another", start: .loggedOut, arguments: ["register", "carol", "--password-stdin"],
      input: "an umbrella in the rain", statusAfter: [1], retry: [0, 1], statusFinally: 1, transfersFinally: 3),
    CrashCase(
      name: "login", start: .loggedOut, arguments: ["login", "alice", "--password-stdin"], input: TestHome.alice,
      statusAfter: [0, 1], retry: [0], statusFinally: 0, transfersFinally: 2),
    CrashCase(
      name: "login, the same user", start: .loggedIn, arguments: ["login", "alice", "--password-stdin"],
      input: TestHome.alice, statusAfter: [0], retry: [0], statusFinally: 0, transfersFinally: 2),
    CrashCase(
      name: "login --switch", start: .loggedIn, arguments: ["login", "bob", "--switch", "--password-stdin"],
      input: TestHome.bob, statusAfter: [0], retry: [0], statusFinally: 0, transfersFinally: 2),
    CrashCase(
      name: "reauth", start: .loggedIn, arguments: ["reauth", "--password-stdin"], input: TestHome.alice,
      statusAfter: [0], retry: [0], statusFinally: 0, transfersFinally: 2),
    CrashCase(
      name: "pay", start: .loggedIn, arguments: ["pay", "12.50", "--to", "bob", "--idempotency-key", "rent"],
      statusAfter: [0], retry: [0], statusFinally: 0, transfersFinally: 3, hashes: false),
    CrashCase(
      name: "profile --name", start: .loggedIn, arguments: ["profile", "--name", "Alice A."],
      statusAfter: [0], retry: [0], statusFinally: 0, transfersFinally: 2, hashes: false),
    CrashCase(
      name: "logout", start: .loggedIn, arguments: ["logout"],
      statusAfter: [0, 1], retry: [0], statusFinally: 1, transfersFinally: 2, hashes: false),
    CrashCase(
      name: "logout --all", start: .loggedIn, arguments: ["logout", "--all"],
      statusAfter: [0, 1], retry: [0], statusFinally: 1, transfersFinally: 2, hashes: false),
    // Run again with the old password after the new one is in force, it is refused, as it should be.
    CrashCase(
      name: "password", start: .loggedIn, arguments: ["password", "--password-stdin"],
      input: TestHome.alice + "\nan umbrella in the rain\n", statusAfter: [0], retry: [0, 5], statusFinally: 0,
      transfersFinally: 2),
  ]
}

/// The homes that cases start from, made once in a test run.
enum CrashStart {
  private static let made = Task {
    var homes: [CrashCase.Start: TestHome] = [:]
    homes[.nothing] = try TestHome(executable: BuiltExecutable.debug)
    let accounts = try TestHome(executable: BuiltExecutable.debug)
    try await accounts.register()
    homes[.loggedOut] = accounts
    let session = try accounts.copy()
    try await session.logIn()
    homes[.loggedIn] = session
    return homes
  }

  /// A home of its own.
  static func home(_ start: CrashCase.Start) async throws -> TestHome {
    guard let home = try await made.value[start] else {
      throw TestHome.SetUpFailure(description: "there is no home \(start)")
    }
    return try home.copy()
  }
}
