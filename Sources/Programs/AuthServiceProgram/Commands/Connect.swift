import AuthAccounts
import AuthCore
import AuthMessages
import AuthService
import CommandLineKit
import ConcurrencyKit
import Glibc
import TextFormat

/// `connect`: standard input and output, as a connection to the service.
///
/// The forced command of an ssh key. It ignores SSH_ORIGINAL_COMMAND, the command of the
/// client.
enum ConnectCommand {
  static let command = Command<ServiceCommand>(
    "connect", summary: "Connect standard input and output to the service",
    discussion: [
      "For ssh, which runs it on the machine of the service. In authorized_keys, "
        + "restrict,command=\"/usr/bin/auth-service connect\" lets a key do this and nothing else.",
      "With --name, the log names the person who owns the key, who may use at most a quarter of the share of the user "
        + "of the machine.",
    ],
    options: [ServiceOptions.socket, name],
    examples: ["connect": "speaks the protocol of the service over standard input and output"],
    statuses: .of(.done, .usage, .cannotTell)
  ) { words in
    ServiceCommand { _ throws(CommandError) in try connect(to: words[ServiceOptions.socket], as: words[name]) }
  }

  private static let name = Option.optional(
    "name", "NAME", ValueKind.identifier("a name", maximumBytes: Frames.longestName),
    "The person who owns this key, if several people share a user of the machine")

  private static func connect(to socket: String, as name: String?) throws(CommandError) -> ExitStatus {
    let service = try connection(
      to: socket, option: "auth-service connect \(ServiceOptions.socket.declaration.flag)",
      notPermitted:
        "Ask root to add this user to the group: usermod -aG auth-cli USER. It takes effect at the next login.")
    if let name, let frame = try? ClientFrame.named(name).encoded() { _ = writeAll(frame[...], to: service) }
    let isStarted = startThread {
      copy(from: STDIN_FILENO, to: service)
      shutdown(service, Int32(SHUT_WR))
    }
    guard isStarted else { throw .noThreads }
    copy(from: service, to: STDOUT_FILENO)
    return .done
  }

  /// Connects to a socket of the service.
  ///
  /// - Parameters:
  ///   - path: Its path.
  ///   - option: The option that names another one.
  ///   - notPermitted: What to do when this user may not.
  /// - Returns: The descriptor of the connection.
  /// - Throws: ``CommandError``, with what to do.
  static func connection(to path: String, option: String, notPermitted: String) throws(CommandError) -> Int32 {
    guard let address = sockaddr_un(path: path) else {
      throw CommandError(
        .usage, saying: "the path of a socket has at most 107 bytes, and \(path.escaped) has \(path.utf8.count)",
        hint: "Name the socket that the service uses.")
    }
    guard let descriptor = address.connectedSocket() else {
      let reason = ErrorNumber.current
      throw CommandError(
        .cannotTell, saying: "the service cannot be reached at \(path.escaped): \(reason.explanation)",
        hint: reason.code == EACCES
          ? notPermitted
          : "On the service's machine: systemctl start auth-service. If its socket is another, name it with \(option).")
    }
    return descriptor
  }

  /// Copies until the source ends or the target is closed.
  private static func copy(from source: Int32, to target: Int32) {
    var buffer = [UInt8](repeating: 0, count: 16_384)
    while true {
      let count = read(source, &buffer, buffer.count)
      if count > 0 {
        guard writeAll(buffer[..<count], to: target) == 0 else { return }
      } else if count < 0, errno == EAGAIN {
        var ready = pollfd(fd: source, events: Int16(POLLIN), revents: 0)
        _ = poll(&ready, 1, -1)
      } else if count == 0 || errno != EINTR {
        return
      }
    }
  }
}
