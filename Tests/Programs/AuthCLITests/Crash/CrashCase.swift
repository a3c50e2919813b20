import AuthAccounts
import Programs
import Terminals
import Testing
import TextFormat

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
    /// Alice is logged in and has the recovery code ``CrashStart/code``.
    case withCode
    /// The same, and she logs in in two steps.
    case withStep
    /// Alice is logged in, and registration is closed.
    case closed
    /// Alice is logged in, and all money of bob is hers.
    case bobHasNothing
    /// Alice is logged in, all her money is bob's, and bob is an administrator too.
    case aliceHasNothing
  }

  let start: Start
  let line: String
  var input = ""
  /// What `status` may say right after the death.
  var statusAfter: Set<Int32> = [0]
  /// What the same command may say when it is run again.
  var retry: Set<Int32> = [0]
  /// What `status` says once it was run again.
  var statusFinally: Int32 = 0
  /// How many transfers there are once it was run again, opening credits included.
  var transfersFinally = 2
  /// Whether all that it changes of accounts and codes is one change.
  var isOneChange = false

  /// The command line without the options for its input, and what it starts from.
  var testDescription: String { "\(line.replacing(#/ --(password-stdin|code-stdin|yes)/#, with: "")), \(start)" }

  static let all: [CrashCase] = [
    CrashCase(
      start: .nothing, line: "register alice --password-stdin", input: CommandHome.alice, statusAfter: [1],
      retry: [0, 1], statusFinally: 1, transfersFinally: 1),
    CrashCase(
      start: .loggedOut, line: "register carol --password-stdin", input: "an umbrella in the rain", statusAfter: [1],
      retry: [0, 1], statusFinally: 1, transfersFinally: 3),
    CrashCase(start: .loggedOut, line: "login alice --password-stdin", input: CommandHome.alice, statusAfter: [0, 1]),
    CrashCase(start: .loggedIn, line: "login alice --password-stdin", input: CommandHome.alice),
    CrashCase(start: .loggedIn, line: "login bob --switch --password-stdin", input: CommandHome.bob),
    CrashCase(start: .loggedIn, line: "reauth --password-stdin", input: CommandHome.alice),
    CrashCase(start: .loggedIn, line: "pay 12.50 --to bob --idempotency-key rent", transfersFinally: 3),
    CrashCase(start: .loggedIn, line: "profile --name Ada"),
    CrashCase(start: .loggedIn, line: "logout", statusAfter: [0, 1], statusFinally: 1),
    CrashCase(start: .loggedIn, line: "logout --all", statusAfter: [0, 1], statusFinally: 1),
    // Run again with the old password after the new one is in force, it is refused, as it should
    // be.
    CrashCase(
      start: .loggedIn, line: "password --password-stdin", input: CommandHome.alice + "\nan umbrella in the rain\n",
      retry: [0, 5]),
    CrashCase(start: .loggedIn, line: "recovery-codes --yes", isOneChange: true),
    // A used code is refused, as it should be.
    CrashCase(
      start: .withStep, line: "login alice --password-stdin", input: CommandHome.alice + "\n" + CrashStart.code,
      retry: [0, 5]),
    CrashCase(start: .loggedIn, line: "two-step on"),
    CrashCase(start: .withStep, line: "two-step off --code-stdin", input: CrashStart.code, retry: [0, 1]),
    CrashCase(start: .withStep, line: "accounts two-step required --yes", isOneChange: true),
    CrashCase(
      start: .withCode, line: "recover alice --password-stdin", input: CrashStart.code + "\nan umbrella in the rain\n",
      statusAfter: [0, 1], retry: [0, 5], statusFinally: 1, isOneChange: true),
    CrashCase(start: .loggedIn, line: "accounts reset-password bob", isOneChange: true),
    CrashCase(
      start: .loggedOut, line: "accounts reset-password alice --as-owner", statusAfter: [1], statusFinally: 1,
      isOneChange: true),
    CrashCase(start: .loggedIn, line: "accounts promote bob", isOneChange: true),
    CrashCase(start: .loggedIn, line: "accounts join release alice bob", isOneChange: true),
    CrashCase(start: .aliceHasNothing, line: "accounts demote bob", transfersFinally: 3, isOneChange: true),
    CrashCase(start: .loggedIn, line: "accounts registration closed", isOneChange: true),
    CrashCase(start: .closed, line: "register carol", retry: [0, 1], transfersFinally: 3, isOneChange: true),
    CrashCase(
      start: .bobHasNothing, line: "accounts delete bob --yes", retry: [0, 1], transfersFinally: 3, isOneChange: true),
    CrashCase(
      start: .aliceHasNothing, line: "profile delete --yes", statusAfter: [0, 1], retry: [0, 4], statusFinally: 1,
      transfersFinally: 3, isOneChange: true),
  ]
}

/// The homes that cases start from, made once in a test run.
///
/// Hashing writes nothing, so most tests take the executable of the least cost. The complete sweep
/// runs the shipped one.
enum CrashStart {
  private static let made = Task {
    let executable = meetsEveryCall ? BuiltExecutable.debug : LeastCost.executable
    var homes: [CrashCase.Start: CommandHome] = [:]
    homes[.nothing] = try await CommandHome(registered: false, executable: executable)
    homes[.loggedOut] = try await CommandHome(executable: executable)
    let session = try await CommandHome(loggedIn: true, executable: executable)
    // A complete run takes longer than a password stays recent.
    try session.changeDatabase(
      """
      UPDATE sessions SET fresh_until = fresh_until + \(hours), absolute_until = absolute_until + \(hours),
        idle_span = \(hours)
      """)
    homes[.loggedIn] = session
    for (start, statements) in changes {
      homes[start] = try await session.copy()
      try homes[start]?.changeDatabase(statements)
    }
    return homes
  }

  /// Ten hours in nanoseconds.
  private static let hours = 36_000_000_000_000

  /// A recovery code of alice, and its SHA-256.
  static let code = "22222-22222-22222-22222-22222"
  private static let hash = "e1359a2f31005d06888a33f29712466b030537008bd24999f34c6c047ac365d4"
  /// Another one, where she logs in in two steps.
  static let otherCode = "33333-33333-33333-33333-33333"

  private static let changes: [CrashCase.Start: String] = [
    .withCode: "INSERT INTO codes(account, code_hash) VALUES (1, x'\(hash)')",
    .withStep: """
    INSERT INTO codes(account, code_hash) VALUES
      (1, x'\(hash)'), (1, x'\(Hex.text(SHA256.hash(RecoveryCode(typed: Array(otherCode.utf8)).canonical)))');
    INSERT INTO two_steps(account, secret, last_step, since) VALUES (1, zeroblob(20), 0, 0)
    """,
    .closed: "UPDATE authority SET registration_closed = 1",
    .bobHasNothing: payment(from: 2, to: 1),
    .aliceHasNothing: payment(from: 1, to: 2) + "; UPDATE accounts SET role = 'administrator' WHERE id = 2",
  ]

  private static func payment(from payer: Int, to payee: Int) -> String {
    """
    INSERT INTO transfers(id, payer, payee, amount, made_at) VALUES (3, \(payer), \(payee), 10000, 0);
    INSERT INTO entries(account, transfer, amount) VALUES (\(payer), 3, -10000), (\(payee), 3, 10000);
    UPDATE ledger_accounts SET balance = balance + 10000 WHERE id = \(payee);
    UPDATE ledger_accounts SET balance = balance - 10000 WHERE id = \(payer)
    """
  }

  /// A home of its own.
  static func home(_ start: CrashCase.Start) async throws -> CommandHome {
    guard let home = try await made.value[start] else {
      throw PseudoTerminal.Failure(description: "there is no home \(start)")
    }
    return try await home.copy()
  }
}
