import AuthAccounts
import AuthCore
import ConcurrencyKit
import Foundation
import Glibc
import Programs
import Races
import Services
import Testing

/// Bob, who runs auth-cli while somebody else attacks his service.
///
/// His commands run as a user of the machine that nobody else is.
struct Victim {
  /// Whether a test may run a program as another user.
  static let isPossible = SetUser.isPossible

  /// A command that failed.
  struct Failure: Error { let command: String, text: String }

  private static let user: uid_t = 54_321
  private static let login = "login bob --password-stdin"
  private let environment: [String: String]
  private let home = ShortFolder()
  private let service: RunningService

  /// Logs bob in, who has an account.
  init(of service: RunningService) throws {
    self.service = service
    environment = [
      "HOME": home.path, "PATH": "\(LeastCost.products):/usr/bin:/bin", "LC_ALL": "C.UTF-8",
      "AUTH_CLI_AUTHORITY": "unix:\(service.socket)",
    ]
    try #require(chown(home.path, Self.user, 0) == 0)
    try run(Self.login)
  }

  /// His commands, to be measured.
  var commands: [Attack.Operation] {
    ["status", "pay 0.01 --to alice", Self.login].map { command in (command, { try run(command) }) }
  }

  /// Expects that his commands are unharmed, `health`, and other operations; see
  /// ``Attack/heldUp(_:beside:once:attempts:by:)``.
  func expectUnharmed(
    and others: [Attack.Operation] = [], beside threads: Int = 1, once: Bool = false,
    fromServiceUser isServiceUser: Bool = false, _ sourceLocation: SourceLocation = #_sourceLocation,
    by attack: @escaping Attack.Body
  ) throws {
    try Attack.expect(
      unharmed: commands + [Attack.health(of: service, besideServiceUser: isServiceUser)] + others, beside: threads,
      once: once, sourceLocation, by: attack)
  }

  private func run(_ command: String) throws {
    let words = ["--reuid=\(Self.user)", "--regid=0", "--clear-groups", "auth-cli-least-cost"]
    let program = Program(
      "setpriv", words + command.split(separator: " ").map(String.init), environment: environment,
      input: Array("\(RunningService.password)\n".utf8), timeLimit: .seconds(60))
    let outcome = try program.runBlocking()
    guard outcome.ending == .exited(0) else { throw Failure(command: command, text: outcome.text) }
  }
}

/// Threads that attack a service while something else is measured.
enum Attack {
  /// What somebody else does meanwhile.
  typealias Operation = (name: String, body: () throws -> Void)
  /// Attacks until the closure returns false, with the number of its thread.
  typealias Body = @Sendable (Int, _ goesOn: () -> Bool) throws -> Void

  /// How often each operation is measured: without the attack, and beside it, at least.
  private static let (idleRounds, rounds) = (Effort.isComplete ? 20 : 10, 10)
  /// The user who attacks.
  static let user: uid_t = 12_346

  /// A look of an operator, who is told that all is well.
  ///
  /// The service asks itself as its own user. Where that user attacks, it may be refused.
  static func health(of service: RunningService, besideServiceUser isBeside: Bool = false) -> Operation {
    let command = ["health", "--json", "--operators", service.operators]
    return (
      "health",
      {
        let text = try Program(RunningService.executable, command, timeLimit: .seconds(30)).runBlocking().text
        let isWell =
          text.contains("\"healthy\":true") || isBeside && text.contains("\"socket_fault\":\"service_busy\"")
        guard isWell, text.contains("\"database_fault\":null") else {
          throw Victim.Failure(command: "health", text: text)
        }
      }
    )
  }

  /// An operation that was held up: its idle median, and what it took beside the attack.
  typealias HeldUp = (name: String, alone: Duration, attacked: Duration)

  /// Expects that no operation fails beside an attack, and that none is held up.
  static func expect(
    unharmed operations: [Operation], beside threads: Int = 1, once: Bool = false,
    _ sourceLocation: SourceLocation = #_sourceLocation, by attack: @escaping Body
  ) throws {
    for (name, alone, attacked) in try heldUp(operations, beside: threads, once: once, by: attack) {
      Issue.record("\(name): \(alone) alone, \(attacked) attacked", sourceLocation: sourceLocation)
    }
  }

  /// The operations that take more than ten times their median without the attack, in each attempt.
  ///
  /// What exceeds the bound is measured again, because the computer may be busy with something
  /// else: who is held up is so each time. Of an attack that goes on until all is measured, the
  /// slowest tenth of the times does not count. An attack that happens `once` ends by itself, and
  /// may hold up others for one moment: they are measured until its end, and the slowest time
  /// counts.
  static func heldUp(
    _ operations: [Operation], beside threads: Int = 1, once: Bool = false, attempts: Int = 3,
    by attack: @escaping Body
  ) throws -> [HeldUp] {
    var held: [HeldUp] = []
    for _ in 0..<attempts {
      let idle = try times(of: operations, idleRounds) { false }
      let attacked = try under(attack, threads) { isAttacked in
        try times(of: operations, rounds) { once && isAttacked() }
      }
      held = zip(operations, zip(idle, attacked)).compactMap { operation, times in
        let (median, slow) = (times.0[idleRounds / 2], times.1[once ? times.1.count - 1 : rounds * 9 / 10 - 1])
        return slow > median * 10 ? (operation.name, median, slow) : nil
      }
      if held.isEmpty { break }
    }
    return held
  }

  /// Measures each operation so many times, and more while the closure returns true, and sorts its
  /// times.
  private static func times(of operations: [Operation], _ rounds: Int, while goesOn: () -> Bool) throws -> [[Duration]]
  {
    var times = operations.map { _ in [Duration]() }
    var round = 0
    while round < rounds || goesOn() {
      for (index, operation) in operations.enumerated() {
        times[index].append(try ContinuousClock().measure(operation.body))
      }
      round += 1
    }
    return times.map { $0.sorted() }
  }

  /// Does something while these threads attack; it is told whether one still does.
  private static func under<Output>(
    _ attack: @escaping Body, _ threads: Int, _ body: (_ isAttacked: () -> Bool) throws -> Output
  ) throws -> Output {
    let state = Locked<(isOver: Bool, count: Int, failure: (any Error)?)>((false, threads, nil))
    let attackers = (0..<threads).map { number in
      startedThread {
        defer { state.withLock { $0.count -= 1 } }
        do { try attack(number) { !state.withLock { $0.isOver } } } catch { state.withLock { $0.failure = error } }
      }
    }
    let result = Result { try body { state.withLock { $0.count > 0 } } }
    state.withLock { $0.isOver = true }
    for attacker in attackers { pthread_join(attacker, nil) }
    if let failure = state.withLock({ $0.failure }) { throw failure }
    return try result.get()
  }
}
