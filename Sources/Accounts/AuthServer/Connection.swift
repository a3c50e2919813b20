import AuthAccounts
import AuthCore
import AuthService
import CSocket
import ConcurrencyKit
import Glibc

/// The socket of one client.
///
/// The thread that holds the lock reads, writes and watches the socket, and never blocks in that.
/// What to do for the client is decided under the lock and done after it.
final class Connection: Sendable {
  /// Why a connection ended, in the words of the log.
  enum Ending: String, Sendable {
    case hungUp = "hung_up"
    case tooSlow = "too_slow"
    case notReading = "not_reading"
    case badFrame = "bad_frame"
    case otherVersion = "other_version"
    case tooMany = "too_many_connections"
    case stopping
  }

  /// What the server has to do after the socket was read and written.
  struct Actions: Sendable {
    var request: (id: UInt32, Job.Kind)?
    /// Whether this read brought the name of the caller.
    var isNamed = false
    var ending: Ending?
  }

  private struct State {
    // Small fields side by side take the memory of one, for each of thousands of connections.
    var isOpen = true
    var isGreeted = false
    var isNotified = false
    /// No request is read until the next sweep.
    var isPutOff = false
    /// Why nothing more is read: the client closed its side, or sent something invalid.
    var isInputOver: Ending?
    /// Whether requests that were read are taken: also those of a client that closed its side.
    var isAnswered: Bool { isInputOver == nil || isInputOver == .hungUp }
    var peer: Peer
    var account: String?
    var input = FrameBuffer()
    var output: [UInt8] = []
    var sent = 0
    /// Whether a request was read and not answered yet.
    ///
    /// The next one is not read before that, so a client that does not read its answers keeps at
    /// most one of them, and one thread.
    var isAsking = false
    /// When the current wait for the client times out.
    var deadline: ContinuousClock.Instant?

    mutating func refuse(_ ending: Ending, _ error: BackendError) {
      isInputOver = ending
      output = ServerFrame.failure(Frames.unnumbered, now: nil, error).encoded()
    }
  }

  let number: UInt64
  private let server: AuthServer
  private let descriptor: Int32
  private let state: Locked<State>

  /// Takes over a connected socket; the server does what follows from each read and write.
  init(_ descriptor: Int32, _ peer: Peer, number: UInt64, of server: AuthServer) {
    self.number = number
    self.server = server
    self.descriptor = descriptor
    state = Locked(State(peer: peer, deadline: .now + server.limits.frameTime))
  }

  var peer: Peer { state.withLock { $0.peer } }
  var isOpen: Bool { state.withLock { $0.isOpen } }
  /// The account of the last session whose token this connection presented.
  var account: String? { state.withLock { $0.account } }

  /// Remembers the account of a grant in an answer.
  func note(_ result: Result<any Sendable, BackendError>) {
    guard let grant = try? result.get() as? Grant else { return }
    state.withLock { $0.account = grant.user.username }
  }

  /// Sends the hello to the client and starts watching the socket.
  func open(_ hello: ServerFrame) {
    let bytes = hello.encoded()
    change { state in
      state.output = bytes
      _ = csocket_add(server.epoll, descriptor, 0, 0, number)
    }
  }

  /// Reads and writes as much as is possible without blocking, and takes the next request.
  ///
  /// Nothing else takes requests. So a client whose requests are refused, and answered immediately,
  /// gets one of them answered in one turn.
  func advance() {
    change(takingFrames: true) { state in
      if state.isInputOver == nil, state.output.isEmpty, !state.isPutOff, !state.input.hasNext { receive(&state) }
    }
  }

  /// Answers a request that was read.
  func respond(_ frame: ServerFrame) {
    let bytes = frame.encoded()
    change { state in
      state.isAsking = false
      state.output += bytes
    }
  }

  /// Notifies a subscriber, unless an earlier notice is still unread.
  func notifyChange() {
    change { state in
      if state.isNotified { return }
      state.isNotified = true
      state.output += ServerFrame.changed.encoded()
    }
  }

  /// Rejects all further requests with this error.
  func refuse(_ ending: Ending, _ error: BackendError) {
    change { state in
      state.isAsking = false
      state.refuse(ending, error)
    }
  }

  /// Reads nothing more, and answers the requests that were read.
  func stop() { change { $0.isInputOver = .stopping } }

  /// Reads no request until the next sweep, because one was refused and its client has to wait.
  ///
  /// Otherwise a client that does not wait could keep a processor busy with refusals.
  func putOff() { state.withLock { $0.isPutOff = true } }

  /// Reads requests again from a client that was put off.
  func resume() {
    if state.withLock({ $0.isPutOff }) { change { $0.isPutOff = false } }
  }

  /// Changes an open connection, and then writes, reads and lets the server do what follows.
  private func change(takingFrames takesFrames: Bool = false, _ body: (inout State) -> Void) {
    let actions = state.withLock { state in
      guard state.isOpen else { return Actions() }
      body(&state)
      return settle(&state, takesFrames)
    }
    server.act(self, actions)
  }

  /// Why the wait for the client timed out; nil if it did not, or if a worker has yet to read what
  /// came or to write what is left, as after the process was stopped.
  func overdue(at now: ContinuousClock.Instant) -> Ending? {
    state.withLock { state in
      guard state.isOpen, let deadline = state.deadline, deadline < now else { return nil }
      let isReading = state.output.isEmpty && !state.input.hasNext
      var entry = pollfd(fd: descriptor, events: Int16(isReading ? POLLIN : POLLOUT), revents: 0)
      return poll(&entry, 1, 0) > 0 ? nil : isReading ? .tooSlow : .notReading
    }
  }

  /// Closes the socket; the connection must no longer be in the table of the server.
  func close() {
    state.withLock { state in
      guard state.isOpen else { return }
      state = State(isOpen: false, peer: state.peer)
      // A child that was started meanwhile, as in tests, may have the descriptor too.
      shutdown(descriptor, Int32(SHUT_RDWR))
      Glibc.close(descriptor)
    }
  }

  // MARK: With the lock held

  private func receive(_ state: inout State) {
    // Less than all that may be there, so that no client has a thread for itself.
    var buffer = [UInt8](repeating: 0, count: 16_384)
    let count = recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
    if count > 0 {
      state.input.append(buffer[..<count])
    } else if count == 0 || errno != EAGAIN && errno != EINTR {
      state.isInputOver = .hungUp
    }
  }

  /// Writes, takes the next frames, and sets which events to watch for.
  private func settle(_ state: inout State, _ takesFrames: Bool) -> Actions {
    var actions = Actions()
    let wasWritten = state.output.isEmpty
    guard flush(&state) else { return Actions(ending: .hungUp) }
    if takesFrames, state.output.isEmpty, !state.isPutOff, state.isAnswered {
      takeFrames(&state, &actions)
      // What is wrong with a frame is said at once.
      guard flush(&state) else { return Actions(ending: .hungUp) }
    }
    let hasNext = state.input.hasNext && state.isAnswered
    if let ending = state.isInputOver, !state.isAsking, state.output.isEmpty, !hasNext {
      actions.ending = ending
      return actions
    }
    let limits = server.limits
    let isBusy = state.isAsking || !state.output.isEmpty || state.isPutOff
    let isRead = state.isInputOver == nil && !isBusy && !hasNext
    let waitsForRest = isRead && (state.input.isInsideFrame || !state.isGreeted)
    // The socket is ready to be written to once the client has read most of the answers. So a frame
    // that was read already is ready immediately, or when the client goes on reading.
    let isWritten = !state.output.isEmpty || hasNext && !isBusy
    if isWritten {
      if wasWritten || state.deadline == nil { state.deadline = .now + limits.frameTime }
    } else if !waitsForRest {
      state.deadline = nil
    } else if state.deadline == nil || actions.request != nil {
      state.deadline = .now + limits.frameTime
    }
    _ = csocket_rearm(server.epoll, descriptor, isRead ? 1 : 0, isWritten ? 1 : 0, number)
    return actions
  }

  /// - Returns: False when the client has hung up.
  private func flush(_ state: inout State) -> Bool {
    while state.sent < state.output.count {
      let count = state.output[state.sent...].withUnsafeBytes {
        send(descriptor, $0.baseAddress, $0.count, Int32(MSG_DONTWAIT | MSG_NOSIGNAL))
      }
      if count < 0 {
        if errno == EINTR { continue }
        return errno == EAGAIN
      }
      state.sent += count
    }
    (state.output, state.sent, state.isNotified) = ([], 0, false)
    return true
  }

  private func takeFrames(_ state: inout State, _ actions: inout Actions) {
    do throws(WireFault) {
      while !state.isAsking, let payload = try state.input.next() {
        switch (try ClientFrame(payload: payload), state.isGreeted) {
        case (.hello, false): state.isGreeted = true
        case (.named(let name), false) where state.peer.caller.name == nil:
          state.peer.caller.name = name
          actions.isNamed = true
        case (.request(let id, let body), true): ask(id, .request(try Request(body, of: Operations.all)))
        case (.subscribe(let id, let token), true): ask(id, .subscribe(token))
        case (.hello, true), (.request, false), (.subscribe, false), (.named, _): throw .invalid("order of messages")
        }
      }
      // A buffer that is empty keeps no memory.
      if !state.input.isInsideFrame { state.input = FrameBuffer() }
    } catch .otherVersion {
      state.isInputOver = .otherVersion
    } catch {
      state.refuse(.badFrame, .unavailable(.messageInvalid, error.description))
    }
    func ask(_ id: UInt32, _ kind: Job.Kind) {
      state.isAsking = true
      actions.request = (id, kind)
    }
  }
}
