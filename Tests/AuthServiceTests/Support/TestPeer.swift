import AuthBackend
import AuthCore
import Foundation
import Glibc
import Services
import Synchronization
import Testing

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
  private let folder = ShortFolder()
  private let state: Mutex<State>

  private struct State {
    var listener: Int32
    var open: Set<Int32> = []
    var count = 0
  }

  static let hello = ServiceHello(
    database: "0102030405060708090a0b0c0d0e0f10", now: Samples.instant, policy: .standard)

  /// - Parameter serve: Called with each connection and its number, from 0 on; it is closed
  ///   afterwards.
  init(_ serve: @escaping @Sendable (TestPeer, Int) -> Void) {
    path = folder.path + "/s"
    state = Mutex(State(listener: listeningSocket(at: path)))
    accept(serve)
  }

  deinit { stop() }

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

extension TestService {
  /// A service that loses answers.
  ///
  /// - Parameters:
  ///   - perform: What answers.
  ///   - hello: What the service says about itself.
  ///   - isLost: Whether the connection ends when the request was done, before its answer is sent.
  convenience init(
    _ perform: @escaping @Sendable (BackendRequest) throws(BackendError) -> BackendAnswer,
    hello: ServiceHello = hello,
    losing isLost: @escaping @Sendable (BackendRequest) -> Bool
  ) {
    self.init { peer, _ in
      peer.send(.hello(hello))
      while let (number, request) = peer.request() {
        let answer: ServerFrame
        do throws(BackendError) {
          answer = .answer(number, now: nil, try perform(request))
        } catch {
          answer = .failure(number, now: nil, error)
        }
        if isLost(request) { return }
        peer.send(answer)
      }
    }
  }

  /// A service that gives every request the same answer.
  convenience init(answering answer: BackendAnswer, hello: ServiceHello = hello) {
    self.init { peer, _ in
      peer.send(.hello(hello))
      while let (number, _) = peer.request() { peer.send(.answer(number, now: nil, answer)) }
    }
  }

  func authority() -> ServiceAuthority { ServiceAuthority(connection(ClientLimits())) }

  func connection(_ limits: ClientLimits = .short, clock: any SessionClock = StoppedClock()) -> ServiceConnection {
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
