import AuthBackend
import AuthCore
import AuthDevice
import Foundation
import PostgresServers
import Programs
import Synchronization
import Testing

@testable import AuthService

/// Two database servers, a primary and its standby, and two services that reach both.
final class FailoverSite {
  let pair: ThrowawayPair
  let services: [RunningService]
  private(set) var (primary, standby) = ("a", "b")
  private let bin: String

  /// Whether Patroni and the etcd where it keeps its state are installed.
  static let hasPatroni = ["patroni", "etcd"].allSatisfy { access("/usr/bin/\($0)", X_OK) == 0 }

  /// Starts all.
  ///
  /// - Parameters:
  ///   - targets: How many accounts there are whose passwords are guessed: target0, target1, …
  ///   - isManaged: Under Patroni, which promotes the standby by itself.
  /// - Throws: When a server or a service does not start.
  init(targets: Int = 8, isManaged: Bool = false) throws {
    pair = try ThrowawayPair(isManaged: isManaged)
    let directory = pair.directory
    bin = try #require(RunningService.postgresPrograms)
    func program(_ name: String, _ arguments: [String], input: String = "") throws {
      _ = try Self.output(name, arguments, input: input)
    }
    let single = "host=\(directory)/a user=postgres dbname=accounts"
    try program(bin + "/createdb", ["-h", directory + "/a", "-U", "postgres", "accounts"])
    let file = directory + "/address"
    try single.write(toFile: file, atomically: false, encoding: .utf8)
    try program(
      RunningService.executable,
      [
        "schema", "install", "--postgres-file", file, "--first-administrator", "alice", "--password-stdin",
      ], input: RunningService.password + "\n")
    let both = "host=\(directory)/a,\(directory)/b user=postgres dbname=accounts target_session_attrs=read-write"
    services = [try RunningService(postgres: both), try RunningService(postgres: both)]
    let client = try services[0].client()
    let alice = try client.logIn("alice")
    _ = try client.ask(.setRegistration(.open, alice))
    for user in ["bob", "carol", "dave"] + (0..<targets).map({ "target\($0)" }) {
      _ = try client.ask(.register(username: user, Secret(RunningService.password), displayName: nil))
    }
  }

  deinit {
    for service in services { service.end(SIGKILL) }
    pair.stop()
  }

  /// A connection as a program of a user has it, with short limits.
  func client(_ number: Int) -> ServiceConnection {
    var limits = ClientLimits()
    (limits.answer, limits.hashing, limits.returning) = (.seconds(2), .seconds(2), .seconds(1))
    return ServiceConnection(.unix(services[number % 2].socket), limits: limits)
  }

  /// Has commits wait for the standby.
  func replicateSynchronously() { pair.tell("sync \(primary) \(standby)") }

  /// The standby becomes the primary.
  func promote() {
    pair.tell("promote \(standby)")
    (primary, standby) = (standby, primary)
  }

  /// Waits until Patroni has promoted the standby.
  func awaitPromotion() throws {
    let end = ContinuousClock.now + .seconds(90)
    while pair.tell("leader") != standby { try #require(ContinuousClock.now < end, "Patroni promotes nobody") }
    (primary, standby) = (standby, primary)
  }

  /// The old primary follows the new one.
  func follow() { pair.tell("follow \(standby) \(primary)") }

  /// The rows that the primary has, fields separated by tabs.
  func rows(_ query: String) throws -> [[String]] {
    let text = try Self.output(
      bin + "/psql", ["-h", pair.directory + "/" + primary, "-U", "postgres", "-XqAtF", "\t", "-c", query, "accounts"])
    return text.split(separator: "\n").map {
      $0.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
    }
  }

  private static func output(_ program: String, _ arguments: [String], input: String = "") throws -> String {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments = arguments
    let (from, to) = (Pipe(), Pipe())
    (process.standardInput, process.standardOutput) = (to, from)
    try process.run()
    try to.fileHandleForWriting.write(contentsOf: Data(input.utf8))
    try to.fileHandleForWriting.close()
    let data = from.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    try #require(process.terminationStatus == 0, "\(program) \(arguments)")
    return String(decoding: data, as: UTF8.self)
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
  }
  let state = Mutex(State())

  var isOver: Bool { state.withLock { $0.isOver } }
  var payments: Int { state.withLock { $0.payments.count } }

  /// Waits until the state is so, for a minute at most.
  func wait(_ what: String, until isSo: (State) -> Bool) throws {
    let end = ContinuousClock.now + .seconds(60)
    while !state.withLock({ isSo($0) }) {
      try #require(ContinuousClock.now < end, "\(what) for a minute")
      usleep(5_000)
    }
  }
}
