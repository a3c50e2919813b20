import AuthBackend
import AuthCore
import Foundation
import Glibc
import Synchronization

@testable import AuthService

/// One connection as the other side sees it, which says and does what a test wants.
final class TestPeer: @unchecked Sendable {  // Used by one thread: the one that was started for it.
  let descriptor: Int32
  private var buffer = FrameBuffer()

  init(_ descriptor: Int32) { self.descriptor = descriptor }

  /// The next frame of the client; nil when it hung up.
  func receive() -> ClientFrame? {
    while true {
      if let payload = try? buffer.next() { return try? ClientFrame(payload: payload) }
      var bytes = [UInt8](repeating: 0, count: 4096)
      let count = read(descriptor, &bytes, bytes.count)
      if count <= 0 { return nil }
      buffer.append(bytes[..<count])
    }
  }

  /// The next request.
  func request() -> (UInt32, BackendRequest)? {
    while let frame = receive() {
      if case .request(let number, let request) = frame { return (number, request) }
    }
    return nil
  }

  func send(_ frame: ServerFrame) { send(frame.encoded()) }

  func send(_ bytes: [UInt8]) {
    var sent = 0
    while sent < bytes.count {
      let count = bytes[sent...].withUnsafeBytes {
        Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      if count <= 0 { return }
      sent += count
    }
  }

  /// Waits until the client hangs up.
  func waitForEnd() { while receive() != nil {} }
}

/// A socket in this process, and what its connections do, each on a thread of its own.
final class TestService: Sendable {
  let path: String
  private let directory: String
  private let state: Mutex<State>

  private struct State {
    var listener: Int32
    var open: Set<Int32> = []
    var count = 0
  }

  static let hello = ServiceHello(
    database: "0102030405060708090a0b0c0d0e0f10", now: Samples.instant, policy: .standard)

  /// - Parameter serve: Called with each connection and its number, from 0 on; it is closed afterwards.
  init(_ serve: @escaping @Sendable (TestPeer, Int) -> Void) {
    var template = Array("/tmp/auth-service-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { preconditionFailure("mkdtemp failed: \(errno)") }
    directory = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    path = directory + "/s"
    state = Mutex(State(listener: Self.listen(at: path)))
    accept(serve)
  }

  deinit {
    stop()
    unlink(path)
    rmdir(directory)
  }

  /// How many connections there were.
  var connections: Int { state.withLock { $0.count } }

  /// Stops, and drops all connections.
  func stop() {
    state.withLock { state in
      if state.listener >= 0 { shutdown(state.listener, Int32(SHUT_RDWR)) }
      state.listener = -1
      for descriptor in state.open { shutdown(descriptor, Int32(SHUT_RDWR)) }
    }
    unlink(path)
  }

  /// Drops all connections, and goes on.
  func drop() {
    state.withLock { for descriptor in $0.open { shutdown(descriptor, Int32(SHUT_RDWR)) } }
  }

  private static func listen(at path: String) -> Int32 {
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    let result = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    guard result == 0, Glibc.listen(descriptor, 64) == 0 else { preconditionFailure("\(path): \(errno)") }
    return descriptor
  }

  private func accept(_ serve: @escaping @Sendable (TestPeer, Int) -> Void) {
    let listener = state.withLock { $0.listener }
    Thread.detachNewThread { [weak self] in
      defer { close(listener) }
      while true {
        let descriptor = Glibc.accept(listener, nil, nil)
        guard descriptor >= 0 else { return }
        guard let self else {
          close(descriptor)
          return
        }
        let number = state.withLock { state in
          state.open.insert(descriptor)
          state.count += 1
          return state.count - 1
        }
        Thread.detachNewThread { [weak self] in
          serve(TestPeer(descriptor), number)
          if let self { self.state.withLock { _ = $0.open.remove(descriptor) } }
          // A child that was started meanwhile may have the descriptor too.
          shutdown(descriptor, Int32(SHUT_RDWR))
          close(descriptor)
        }
      }
    }
  }
}

/// What a service does with an answer.
enum Delivery: Sendable {
  case whole
  /// The connection ends before the request is looked at.
  case dropBefore
  /// The connection ends when the request was done.
  case dropAfter
}

extension TestService {
  /// A service over a rule book.
  convenience init(
    _ handler: any RequestHandler, clock: @escaping @Sendable () -> BootInstant? = { Samples.instant },
    _ deliver: @escaping @Sendable (BackendRequest, Int) -> Delivery = { _, _ in .whole }
  ) {
    let subscribers = Mutex<[TestPeer]>([])
    self.init { peer, connection in
      peer.send(.hello(ServiceHello(database: Self.hello.database, now: clock(), policy: .standard)))
      defer { subscribers.withLock { $0.removeAll { $0 === peer } } }
      while let frame = peer.receive() {
        if case .subscribe(let number, _) = frame {
          subscribers.withLock {
            $0.append(peer)
            peer.send(.answer(number, now: clock(), .done))
          }
        }
        guard case .request(let number, let request) = frame else { continue }
        let delivery = deliver(request, connection)
        if case .dropBefore = delivery { return }
        let answer: ServerFrame
        do throws(BackendError) {
          answer = .answer(number, now: clock(), try handler.perform(request))
        } catch {
          answer = .failure(number, now: clock(), error)
        }
        if case .dropAfter = delivery { return }
        peer.send(answer)
        // After a read there is no change, and looking again is always allowed.
        if request.effect != .read { subscribers.withLock { for peer in $0 { peer.send(.lookAgain) } } }
      }
    }
  }

  func connection(_ limits: ClientLimits = .short, clock: any SessionClock = StandingClock()) -> ServiceConnection {
    ServiceConnection(.unix(path), limits: limits, clock: clock)
  }
}

extension ClientLimits {
  /// For a peer that never answers.
  static var short: ClientLimits {
    var limits = ClientLimits()
    limits.connecting = .milliseconds(300)
    limits.answer = .milliseconds(300)
    limits.hashing = .seconds(20)
    limits.returning = .milliseconds(300)
    return limits
  }
}

/// A clock of the client that only hearing the service moves.
struct StandingClock: SessionClock {
  func now() throws(ClockError) -> BootInstant { BootInstant(boot: BootID(high: 5, low: 5), uptime: .seconds(5)) }
  func sleep(for duration: Duration) async throws(CancellationError) {}
}

/// The error that `body` throws.
func failure<Result>(_ body: () throws(BackendError) -> Result) -> BackendError? {
  do throws(BackendError) {
    _ = try body()
    return nil
  } catch {
    return error
  }
}
