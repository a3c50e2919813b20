import AuthAccounts
import AuthCore
import Foundation
import PostgresServers
import Programs
import Services
import Synchronization
import Terminals
import Testing

@testable import AuthService

/// Two database servers, a primary and its standby, and two services that reach both.
final class FailoverSite {
  let pair: ThrowawayServer
  let services: [RunningService]
  private(set) var (primary, standby) = ("a", "b")
  /// Whether the standby was promoted, and the other server does not follow it yet.
  private var isAlone = false
  private let bin: String
  /// Of all accounts.
  static let password = Secret(RunningService.password)

  /// Whether Patroni and the etcd where it keeps its state are installed.
  static let hasPatroni = ["patroni", "etcd"].allSatisfy { access("/usr/bin/\($0)", X_OK) == 0 }

  /// Starts all.
  ///
  /// - Parameters:
  ///   - targets: How many accounts there are whose passwords are guessed: target0, target1, …
  ///   - isManaged: Under Patroni, which promotes the standby by itself.
  /// - Throws: When a server or a service does not start.
  init(targets: Int = 8, isManaged: Bool = false) throws {
    pair = try ThrowawayServer(isManaged ? .managedPair : .pair)
    let directory = pair.directory
    bin = try #require(RunningService.postgresPrograms)
    _ = try Self.output(
      """
      \(bin)/createdb -h \(directory)/a -U postgres accounts
      echo 'host=\(directory)/a user=postgres dbname=accounts' >\(directory)/address
      \(RunningService.executable) schema install --postgres-file \(directory)/address --first-administrator alice \
        --password-stdin
      """, input: RunningService.password + "\n")
    let both = "host=\(directory)/a,\(directory)/b user=postgres dbname=accounts target_session_attrs=read-write"
    services = [try RunningService(postgres: both), try RunningService(postgres: both)]
    let client = self.client(0)
    try client.ask(Operations.setRegistration, .open, try client.logIn("alice", Self.password).token)
    for user in ["bob", "carol", "dave"] + (0..<targets).map({ "target\($0)" }) {
      _ = try client.register(username: user, password: Self.password)
    }
  }

  deinit {
    for service in services { service.end(SIGKILL) }
    pair.stop()
  }

  /// A connection as a program of a user has it.
  ///
  /// - Parameters:
  ///   - number: Chooses the service.
  ///   - isHasty: Whether it gives a request up after 2 s, so that it tries often during a fault.
  /// - Returns: The connection.
  func client(_ number: Int, isHasty: Bool = false) -> ServiceAuthority {
    var limits = ClientLimits()
    if isHasty { (limits.answer, limits.hashing, limits.returning) = (.seconds(2), .seconds(2), .seconds(1)) }
    return ServiceAuthority(.unix(services[number % 2].socket), limits: limits)
  }

  /// Asks a service, and again while it has not found the primary after a fault.
  func ask<Answer>(
    _ number: Int, _ body: (ServiceAuthority) throws(BackendError) -> Answer
  ) throws(BackendError) -> Answer {
    let (client, deadline) = (client(number), Deadline(.seconds(600)))
    while true {
      do throws(BackendError) { return try body(client) } catch {
        guard case .unavailable = error.kind, SuspendingClock.now < deadline else { throw error }
        usleep(20_000)
      }
    }
  }

  /// Has commits wait for the standby.
  func replicateSynchronously() {
    follow()
    pair.tell("sync \(primary) \(standby)")
  }

  /// The standby becomes the primary.
  func promote() {
    pair.tell("promote \(standby)")
    (primary, standby, isAlone) = (standby, primary, true)
  }

  /// Waits until Patroni has promoted the standby.
  func awaitPromotion() throws {
    let end = ContinuousClock.now + .seconds(600)
    while pair.tell("leader") != standby { try #require(ContinuousClock.now < end, "Patroni promotes nobody") }
    (primary, standby) = (standby, primary)
  }

  /// The old primary follows the new one, if there is a new one.
  func follow() {
    if isAlone { pair.tell("follow \(standby) \(primary)") }
    isAlone = false
  }

  /// The rows that the primary has, fields separated by tabs.
  func rows(_ query: String) throws -> [[String]] {
    let psql = "\(bin)/psql -h \(pair.directory)/\(primary) -U postgres -XqAtF $'\\t' accounts"
    return try Self.output(psql, input: query).split(separator: "\n").map {
      $0.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
    }
  }

  /// How many transfers the primary has.
  func transfers() throws -> Int { Int(try rows("SELECT count(*) FROM auth.transfers")[0][0]) ?? 0 }

  private static func output(_ script: String, input: String) throws -> String {
    let program = Program("bash", ["-euc", script], input: Array(input.utf8), timeLimit: .seconds(60))
    let outcome = try program.runBlocking()
    try #require(outcome.ending == .exited(0), "\(outcome.text)")
    return outcome.text
  }
}

/// What was done through the services and answered, so that it must stay so.
final class Acknowledged: Sendable {
  struct State {
    var payments: [(id: Int64, key: String)] = []
    /// Payments that were begun, answered or not.
    var begun = 0
    /// Attempts that were not answered with a receipt.
    var failures = 0
    var ended: [SessionToken] = []
    var usedCodes: [RecoveryCode] = []
    var guesses: [String: Int] = [:]
    var secondSteps: [String] = []
    var isOver = false

    /// Whether something of each kind was done.
    var hasEveryKind: Bool {
      !payments.isEmpty && !ended.isEmpty && !usedCodes.isEmpty && !guesses.isEmpty && !secondSteps.isEmpty
    }
  }
  let state = Mutex(State())

  var isOver: Bool { state.withLock { $0.isOver } }

  /// Waits until the state is so, for ten minutes at most.
  func wait(_ what: String, until isSo: (State) -> Bool) throws {
    try #require(Deadline(.seconds(600)).wait { state.withLock { isSo($0) } }, "\(what) for ten minutes")
  }
}
