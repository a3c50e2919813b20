import Foundation
import Synchronization

/// Stands between a client and the server, and cuts the connection at one message.
final class CuttingProxy: Sendable {
  /// Where to cut: the message of a direction, counted from 0 over all connections.
  struct Cut: Sendable, CustomStringConvertible {
    enum Phase: CaseIterable, Sendable { case before, within, after }
    let fromServer: Bool
    let message: Int
    let phase: Phase

    var description: String { "\(phase) message \(message) of the \(fromServer ? "server" : "client")" }
  }

  private struct State {
    var cut: Cut?
    var counts = (client: 0, server: 0)
  }

  /// The directory of its socket.
  let directory: String
  private let target: String
  private let listener: Int32
  private let state = Mutex(State())

  init(target: String) {
    self.target = target
    // A short path, because the name of a Unix socket has at most 107 bytes.
    let place = NSTemporaryDirectory()
    var template = Array(((place.utf8.count > 75 ? "/tmp/" : place) + "acpx-XXXXXX").utf8CString)
    precondition(mkdtemp(&template) != nil)
    directory = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    chmod(directory, 0o755)
    listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    _ = fcntl(listener, F_SETFD, FD_CLOEXEC)
    var address = Self.address(directory)
    let status = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(listener, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    precondition(status == 0 && listen(listener, 16) == 0)
    let thread = Thread { [self] in acceptAll() }
    thread.start()
  }

  /// Cuts at the next message that fits, once; nil cuts nothing.
  ///
  /// Counting begins anew.
  func arm(_ cut: Cut?) {
    state.withLock { $0 = State(cut: cut) }
  }

  /// How many messages went by in each direction.
  var counts: (client: Int, server: Int) { state.withLock { $0.counts } }

  func close() {
    shutdown(listener, Int32(SHUT_RDWR))
    Foundation.close(listener)
    unlink(directory + "/.s.PGSQL.5432")
    rmdir(directory)
  }

  private func acceptAll() {
    while true {
      let client = accept(listener, nil, nil)
      if client < 0 { return }
      _ = fcntl(client, F_SETFD, FD_CLOEXEC)
      Thread { [self] in relay(client) }.start()
    }
  }

  private func relay(_ client: Int32) {
    let server = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    _ = fcntl(server, F_SETFD, FD_CLOEXEC)
    defer {
      Foundation.close(client)
      Foundation.close(server)
    }
    var address = Self.address(target)
    let status = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(server, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    guard status == 0 else { return }
    var pending: (client: [UInt8], server: [UInt8]) = ([], [])
    var isFirst = true
    var entries = [
      pollfd(fd: client, events: Int16(POLLIN), revents: 0), pollfd(fd: server, events: Int16(POLLIN), revents: 0),
    ]
    var buffer = [UInt8](repeating: 0, count: 65536)
    while poll(&entries, 2, -1) >= 0 || errno == EINTR {
      for side in 0...1 where entries[side].revents != 0 {
        let count = read(entries[side].fd, &buffer, buffer.count)
        guard count > 0 else { return }
        if side == 0 { pending.client += buffer.prefix(count) } else { pending.server += buffer.prefix(count) }
      }
      while let message = Self.message(&pending.client, isStartup: isFirst) {
        isFirst = false
        if !forward(message, to: server, fromServer: false) { return }
      }
      while let message = Self.message(&pending.server, isStartup: false) {
        if !forward(message, to: client, fromServer: true) { return }
      }
    }
  }

  /// - Returns: False when the connection is to be cut.
  private func forward(_ message: [UInt8], to descriptor: Int32, fromServer: Bool) -> Bool {
    let phase = state.withLock { state -> Cut.Phase? in
      let number = fromServer ? state.counts.server : state.counts.client
      if fromServer { state.counts.server += 1 } else { state.counts.client += 1 }
      guard let cut = state.cut, cut.fromServer == fromServer, cut.message == number else { return nil }
      state.cut = nil
      return cut.phase
    }
    switch phase {
    case .before: return false
    case .within:
      _ = send(descriptor, message, message.count / 2, Int32(MSG_NOSIGNAL))
      return false
    case .after:
      _ = send(descriptor, message, message.count, Int32(MSG_NOSIGNAL))
      return false
    case nil:
      return send(descriptor, message, message.count, Int32(MSG_NOSIGNAL)) == message.count
    }
  }

  /// Takes one whole message: a type and a length, or at the start of a client a length alone.
  private static func message(_ pending: inout [UInt8], isStartup: Bool) -> [UInt8]? {
    let start = isStartup ? 0 : 1
    guard pending.count >= start + 4 else { return nil }
    let length = pending[start..<start + 4].reduce(0) { $0 << 8 | Int($1) } + start
    guard pending.count >= length else { return nil }
    let message = Array(pending.prefix(length))
    pending.removeFirst(length)
    return message
  }

  private static func address(_ directory: String) -> sockaddr_un {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let path = Array((directory + "/.s.PGSQL.5432").utf8)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path) }
    return address
  }
}
