import AuthAccounts
import ConcurrencyKit
import Foundation
import Glibc
import Programs
import Services

@testable import AuthService

/// One connection as the other side sees it, which says and does what a test wants.
final class TestPeer {
  private let link: ServiceLink

  init(_ descriptor: Int32) { link = ServiceLink(descriptor) }

  // A child that was started meanwhile may have the descriptor too.
  deinit { shutdown(link.descriptor, Int32(SHUT_RDWR)) }

  /// The next frame of the client; nil when it hung up.
  func receive() -> ClientFrame? {
    (try? link.payload(until: ResponseDeadline(in: .seconds(60)))).flatMap { try? ClientFrame(payload: $0) }
  }

  /// The next request.
  func request() -> (UInt32, Request)? {
    while let frame = receive() {
      if case .request(let number, let body) = frame, let request = try? Request(body, of: Operations.all) {
        return (number, request)
      }
    }
    return nil
  }

  func send(_ frame: ServerFrame) { send(frame.encoded()) }

  func send(_ bytes: [UInt8]) { try? link.send(bytes, until: ResponseDeadline(in: .seconds(60))) }

  /// Waits until the client hangs up.
  func waitForEnd() { while receive() != nil {} }
}

/// A socket in this process, and what its connections do, each on a thread of its own.
final class TestService: Sendable {
  let path: String
  private let folder = ShortFolder()
  private let listener: Int32
  private let state = Monitor(State())

  private struct State {
    var open: Set<Int32> = []
    var count = 0
  }

  static let hello = ServiceHello(
    database: "0102030405060708090a0b0c0d0e0f10", now: Samples.instant, policy: .standard)

  /// - Parameters:
  ///   - hello: What it says first on each connection.
  ///   - serve: Called with each connection and its number, from 0 on; it is closed afterwards.
  init(hello: ServiceHello? = hello, _ serve: @escaping @Sendable (TestPeer, Int) -> Void) {
    path = folder.path + "/s"
    listener = listeningSocket(at: path)
    accept { peer, number in
      if let hello { peer.send(.hello(hello)) }
      serve(peer, number)
    }
  }

  /// - Parameters:
  ///   - hello: What it says first on each connection.
  ///   - answer: The output of a request, or the answer itself; nil ends the connection instead.
  convenience init(
    hello: ServiceHello = hello,
    answering answer: @escaping @Sendable (Request) throws(BackendError) -> (any Sendable)?
  ) {
    self.init(hello: hello) { peer, _ in
      while let (number, request) = peer.request() {
        do throws(BackendError) {
          guard let output = try answer(request) else { return }
          guard let body = output as? WireBody ?? request.operation.responseBody(output) else {
            preconditionFailure("\(output) is no output of \(request.operation.name)")
          }
          peer.send(.response(number, now: nil, body))
        } catch {
          peer.send(.failure(number, now: nil, error))
        }
      }
    }
  }

  /// Stops, and drops all connections.
  deinit {
    shutdown(listener, Int32(SHUT_RDWR))
    drop()
  }

  /// How many connections there were.
  var connections: Int { state.withLock { $0.count } }

  /// Drops all connections, and goes on.
  func drop() {
    state.withLock { for descriptor in $0.open { shutdown(descriptor, Int32(SHUT_RDWR)) } }
  }

  private func accept(_ serve: @escaping @Sendable (TestPeer, Int) -> Void) {
    Thread.detachNewThread { [listener, state] in
      defer { close(listener) }
      while true {
        let descriptor = Glibc.accept(listener, nil, nil)
        guard descriptor >= 0 else { return }
        let number = state.withLock { state in
          state.open.insert(descriptor)
          state.count += 1
          return state.count - 1
        }
        Thread.detachNewThread {
          let peer = TestPeer(descriptor)
          serve(peer, number)
          state.withLock { _ = $0.open.remove(descriptor) }
          // Not before, because its number may be used again.
          _ = consume peer
        }
      }
    }
  }

  func authority(_ limits: ClientLimits = .patient) -> ServiceAuthority {
    ServiceAuthority(.unix(path), limits: limits, clock: StoppedClock())
  }
}

extension ClientLimits {
  /// For a peer that answers, on a machine that may be busy.
  static var patient: ClientLimits {
    var limits = ClientLimits()
    (limits.connecting, limits.answer) = (.seconds(60), .seconds(60))
    return limits
  }

  /// For a peer that never answers: in silence it never greets, and otherwise it greets.
  static func short(inSilence: Bool) -> ClientLimits {
    var limits = patient
    if inSilence { limits.connecting = .milliseconds(300) } else { limits.answer = .milliseconds(300) }
    return limits
  }
}
