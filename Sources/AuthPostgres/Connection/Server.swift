import AuthBackend
import AuthCore
import AuthDevice
import Glibc
import Guards
import TextFormat

/// The server: calls its functions, and repeats what may be repeated.
final class Server: Sendable {
  /// What repeating a call would do.
  enum Effect {
    /// It only reads.
    case none
    /// Repeated, it changes nothing more.
    case repeatable
    /// Repeated, it could happen twice.
    case once
  }

  private struct State {
    var connection: ServerConnection?
    /// The database at the other end, once it said so.
    var database: BootID?
    var facts: BackendConnection?
  }

  let address: ServerAddress
  let limits: ServerLimits
  let clock: ServerClock
  let timeline: NewestTimeline
  private let state = Locked<State>(State())

  init(address: ServerAddress, limits: ServerLimits, clock: ServerClock, timelines: (any TimelineRecord)?) {
    self.address = address
    timeline = NewestTimeline(record: timelines)
    self.limits = limits
    self.clock = clock
  }

  /// What the connection is to; nil before the first.
  var facts: BackendConnection? { state.withLock { $0.facts } }

  /// The database at the other end.
  var database: BootID? { state.withLock { $0.database } }

  /// Calls a function.
  ///
  /// - Parameters:
  ///   - function: Its name in our schema.
  ///   - arguments: All but the version.
  ///   - effect: What repeating it would do.
  ///   - key: The idempotency key to name when the outcome stays unknown.
  /// - Returns: The rows of the answer.
  /// - Throws: ``BackendError`` of kind `unavailable`.
  func call(
    _ function: String, _ arguments: [Argument], _ effect: Effect, key: String? = nil
  ) throws(BackendError) -> [Answer] {
    try state.withLock { (state) throws(BackendError) in
      try answered(function, arguments, effect, key, &state)
    }
  }

  /// Says which database it is, without telling it anything.
  func identify() throws(BackendError) -> BootID {
    if let known = database { return known }
    return try ask()
  }

  /// Asks which database it is, and whether it has our schema.
  func ask() throws(BackendError) -> BootID {
    let answer = try first(try call("about", [], .none))
    guard let major = answer.number(0), let id = answer.database(2) else { throw malformed() }
    guard major == ServerSchema.major else { throw ServerFault.otherVersion(found: major, at: place) }
    state.withLock { $0.database = id }
    if let time = answer.number(3) { clock.hear(time, from: id) }
    return id
  }

  /// Keeps what an answer said about the database.
  func heard(_ database: BootID) {
    state.withLock { $0.database = database }
  }

  func first(_ answers: [Answer]) throws(BackendError) -> Answer {
    guard let answer = answers.first else { throw malformed() }
    return answer
  }

  func malformed() -> BackendError {
    .unavailable(
      .unparsable, "server_unparsable", "The database at \(place) gave an answer that this program does not know.",
      hint: "Install matching versions of auth-cli and of the schema.")
  }

  var place: String { facts?.place ?? "AUTH_CLI_AUTHORITY" }

  private func answered(
    _ function: String, _ arguments: [Argument], _ effect: Effect, _ key: String?, _ state: inout State
  ) throws(BackendError) -> [Answer] {
    let texts = (function == "about" ? [] : [String(ServerSchema.major)]) + arguments.map(\.text)
    let placeholders = texts.indices.map { "$\($0 + 1)" }.joined(separator: ", ")
    let statement = "SELECT * FROM \(ServerSchema.name).\(function)(\(placeholders))"
    let end = ContinuousClock.now + (effect == .repeatable ? limits.repeating : limits.answer)
    var unknown: String?
    while true {
      let fault: ServerFault
      do throws(ServerFault) {
        let connection = try connected(&state)
        let rows = try connection.run(statement, texts, until: min(end, ContinuousClock.now + limits.answer))
        if effect != .none, let seen = connection.timeline {
          timeline.note(seen.number, of: seen.cluster)
          connection.timeline = nil
        }
        return rows.map(Answer.init)
      } catch {
        fault = error
      }
      let place = state.facts?.place ?? "AUTH_CLI_AUTHORITY"
      switch fault {
      case .refused(ServerState.otherVersion, _):
        throw ServerFault.otherVersion(found: Int64(version(&state) ?? 0), at: place)
      case .refused where fault.asksToRetry && ContinuousClock.now < end: break
      case .refused: throw fault.failure(at: place)
      case .notConnected where unknown == nil:
        state.connection = nil
        throw fault.failure(at: place)
      case .notConnected: state.connection = nil
      case .unknown(let message):
        state.connection = nil
        unknown = message
        if effect == .once { throw ServerFault.outcomeUnknown(message, at: place, key: key) }
      }
      guard ContinuousClock.now < end else {
        if effect == .repeatable, let unknown { throw ServerFault.outcomeUnknown(unknown, at: place, key: key) }
        throw fault.failure(at: place)
      }
      // Not in step with the others who wait for the same server.
      var pause = timespec(tv_sec: 0, tv_nsec: .random(in: 20_000_000...80_000_000))
      nanosleep(&pause, nil)
    }
  }

  private func connected(_ state: inout State) throws(ServerFault) -> ServerConnection {
    if let connection = state.connection, !connection.isGone() { return connection }
    state.connection = nil
    let connection = try Connecting(address: address, limits: limits, timeline: timeline).connect()
    state.facts = connection.facts
    try connection.requireUTF8()
    state.connection = connection
    return connection
  }

  /// The major version of a schema that refused ours.
  private func version(_ state: inout State) -> Int? {
    do throws(ServerFault) {
      let rows = try connected(&state).run(
        "SELECT major FROM \(ServerSchema.name).about()", [], until: ContinuousClock.now + limits.answer)
      return rows.first?.first?.flatMap { Int($0) }
    } catch {
      return nil
    }
  }
}

/// A value to call a function with.
enum Argument {
  case text(String?)
  case number(Int64?)
  case bytes([UInt8]?)
  case flag(Bool)

  var text: String? {
    switch self {
    case .text(let text): text
    case .number(let number): number.map { String($0) }
    case .bytes(let bytes): bytes.map { "\\x" + Hex.text($0) }
    case .flag(let flag): flag ? "t" : "f"
    }
  }
}

/// A row of an answer.
struct Answer {
  private let values: [String?]

  init(_ values: [String?]) {
    self.values = values
  }

  func text(_ column: Int) -> String? { values.indices.contains(column) ? values[column] : nil }
  func number(_ column: Int) -> Int64? { text(column).flatMap { Int64($0) } }
  func flag(_ column: Int) -> Bool { text(column) == "t" }

  func database(_ column: Int) -> BootID? {
    guard let text = text(column), let bytes = Hex.bytes(Array(text.utf8)) else { return nil }
    return BootID(bytes)
  }
}
