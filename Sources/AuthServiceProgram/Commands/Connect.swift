import AuthService
import CommandLineKit
import Glibc
import TextFormat

/// `connect`: standard input and output, as a connection to the service.
///
/// The forced command of an ssh key. What the client wanted to run, in SSH_ORIGINAL_COMMAND, is not
/// looked at.
struct ConnectCommand: ServiceCommand {
  let socket: String

  static let command = Command<any ServiceCommand>(
    "connect", summary: "Connect standard input and output to the service",
    discussion: [
      "For ssh, which runs it on the machine of the service. In authorized_keys, "
        + "restrict,command=\"/usr/bin/auth-service connect\" lets a key do this and nothing else."
    ],
    options: [Options.socket],
    examples: [.init("connect", "speaks the protocol of the service over standard input and output")],
    statuses: .of(.done, .usage, .cannotTell)
  ) { words throws(UsageError) in ConnectCommand(socket: try words[Options.socket]) }

  func run(in program: ServiceProgram) throws(ServiceError) -> ServiceExit {
    let service = try Self.connection(
      to: socket, notPermitted: "Ask root to let this user in: usermod -aG auth-cli USER")
    var up = Pipe(from: STDIN_FILENO, to: service)
    var down = Pipe(from: service, to: STDOUT_FILENO)
    while !down.isOver {
      var events = [up.event, down.event]
      guard poll(&events, 2, -1) >= 0 || errno == EINTR else { break }
      if events[0].revents != 0, up.step() { shutdown(service, Int32(SHUT_WR)) }
      if events[1].revents != 0 { _ = down.step() }
      // Nobody reads the answers any more.
      if up.isBroken || down.isBroken { break }
    }
    return .done
  }

  /// Connects to a socket of the service.
  ///
  /// - Parameters:
  ///   - path: Its path.
  ///   - notPermitted: What to do when this user may not.
  /// - Returns: The descriptor of the connection.
  /// - Throws: ``ServiceError``, with what to do.
  static func connection(to path: String, notPermitted: String) throws(ServiceError) -> Int32 {
    guard let address = sockaddr_un(path: path) else {
      throw ServiceError(
        .usage, "the path of a socket has at most 107 bytes, and \(path.escaped) has \(path.utf8.count)",
        hint: "Name the socket that the service uses.")
    }
    let descriptor = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard address.withPointer({ Glibc.connect(descriptor, $0, $1) }) == 0 else {
      let reason = ErrorNumber.current
      close(descriptor)
      throw ServiceError(
        .cannotTell, "the service cannot be reached at \(path.escaped): \(reason.explanation)",
        hint: reason.code == EACCES
          ? notPermitted : "Start it: systemctl start auth-service. If it runs, name its socket.")
    }
    return descriptor
  }

  /// One direction: it reads when nothing waits to be written.
  private struct Pipe {
    let source: Int32
    let target: Int32
    private var waiting: ArraySlice<UInt8> = []
    private var isAtEnd = false
    /// Whether the target takes nothing any more.
    private(set) var isBroken = false

    init(from source: Int32, to target: Int32) {
      self.source = source
      self.target = target
    }

    var isOver: Bool { isAtEnd && waiting.isEmpty }

    var event: pollfd {
      if !waiting.isEmpty { return pollfd(fd: target, events: Int16(POLLOUT), revents: 0) }
      return pollfd(fd: isAtEnd ? -1 : source, events: Int16(POLLIN), revents: 0)
    }

    /// - Returns: Whether the end was reached just now.
    mutating func step() -> Bool {
      if waiting.isEmpty {
        var buffer = [UInt8](repeating: 0, count: 16_384)
        let count = read(source, &buffer, buffer.count)
        if count < 0 { isAtEnd = errno != EINTR && errno != EAGAIN } else { isAtEnd = count == 0 }
        waiting = count > 0 ? buffer[..<count] : []
      } else {
        let count = waiting.withUnsafeBytes { write(target, $0.baseAddress, $0.count) }
        if count > 0 { waiting = waiting.dropFirst(count) } else { isBroken = errno != EINTR && errno != EAGAIN }
      }
      return isAtEnd && waiting.isEmpty
    }
  }
}
