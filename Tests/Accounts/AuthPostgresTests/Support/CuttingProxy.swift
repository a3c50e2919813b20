import Foundation
import Programs
import Races
import Services
import Synchronization

/// Stands between a client and the server, and cuts the connection at one message.
final class CuttingProxy: Sendable {
  /// Where to cut: the message of a direction, counted from 0 over all connections.
  struct Cut: Sendable, CustomStringConvertible {
    enum Phase: CaseIterable, Sendable { case before, within, after }
    /// Who sends it: 0 is the client, 1 the server.
    let side: Int
    let message: Int
    let phase: Phase

    /// Every cut of a conversation of so many messages.
    static func all(_ counts: [Int]) -> [Cut] {
      (0...1).flatMap { side in
        (0..<counts[side]).flatMap { message in Phase.allCases.map { Cut(side: side, message: message, phase: $0) } }
      }
    }

    var description: String { "\(phase) message \(message) of the \(["client", "server"][side])" }
  }

  private struct State {
    var cut: Cut?
    var counts = [0, 0]
    var roundTrips = 0
  }

  private let folder = ShortFolder()
  /// The directory of its socket.
  var directory: String { folder.path }
  private let target: String
  private let listener: Int32
  private let state = Mutex(State())

  init(target: String) {
    self.target = target
    chmod(folder.path, 0o755)
    listener = listeningSocket(at: folder.path + "/.s.PGSQL.5432")
    Thread { [self] in acceptAll() }.start()
  }

  /// Cuts at the next message that fits, once; nil cuts nothing.
  ///
  /// Counting begins anew.
  func arm(_ cut: Cut?) { state.withLock { $0 = State(cut: cut) } }

  /// How many messages went by in each direction.
  var counts: [Int] { state.withLock { $0.counts } }

  /// How often the client sent what the server has to answer before it goes on.
  var roundTrips: Int { state.withLock { $0.roundTrips } }

  /// Ends its thread, which closes the listener: another thread may already have its number.
  func close() { shutdown(listener, Int32(SHUT_RDWR)) }

  private func acceptAll() {
    while true {
      let client = accept(listener, nil, nil)
      guard client >= 0 else {
        Foundation.close(listener)
        return
      }
      _ = fcntl(client, F_SETFD, FD_CLOEXEC)
      Thread { [self] in relay(client) }.start()
    }
  }

  private func relay(_ client: Int32) {
    defer { Foundation.close(client) }
    guard let server = connectedSocket(to: target + "/.s.PGSQL.5432") else { return }
    defer { Foundation.close(server) }
    let ends = [client, server]
    TwoThreads.both { [self] side in
      var isStartup = side == 0
      while let message = Self.message(of: ends[side], isStartup: isStartup),
        forward(message, from: side, to: ends[1 - side])
      { isStartup = false }
      for end in ends { shutdown(end, Int32(SHUT_RDWR)) }
    }
  }

  /// - Returns: False when the connection is to be cut.
  private func forward(_ message: [UInt8], from side: Int, to descriptor: Int32) -> Bool {
    let phase = state.withLock { state -> Cut.Phase? in
      defer { state.counts[side] += 1 }
      // The last message of a pipeline is Sync.
      if side == 0, message.first == UInt8(ascii: "S") { state.roundTrips += 1 }
      guard let cut = state.cut, cut.side == side, cut.message == state.counts[side] else { return nil }
      state.cut = nil
      return cut.phase
    }
    let count =
      switch phase {
      case .before: 0
      case .within: message.count / 2
      case .after, nil: message.count
      }
    return send(descriptor, message, count, Int32(MSG_NOSIGNAL)) == message.count && phase == nil
  }

  /// Reads one whole message: a type and a length, or at the start of a client a length alone.
  private static func message(of descriptor: Int32, isStartup: Bool) -> [UInt8]? {
    guard let head = bytes(isStartup ? 4 : 5, of: descriptor) else { return nil }
    let length = head.suffix(4).reduce(0) { $0 << 8 | Int($1) }
    return bytes(length - 4, of: descriptor).map { head + $0 }
  }

  private static func bytes(_ count: Int, of descriptor: Int32) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: count)
    guard count == 0 || recv(descriptor, &bytes, count, Int32(MSG_WAITALL)) == count else { return nil }
    return bytes
  }
}
