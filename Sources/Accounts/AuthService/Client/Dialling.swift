import AuthAccounts
import AuthDevice
import Glibc
import TextFormat

/// Connects to a service, and receives its hello.
struct Dialling {
  let address: ServiceAddress
  let limits: ClientLimits
  /// Whether ssh may ask the user for a password or about a new host.
  let mayAsk: Bool

  /// - Throws: ``BackendError`` of kind `unavailable`: nothing but this client's version was sent.
  func connect() throws(BackendError) -> (ServiceLink, ServiceHello, place: String) {
    switch address {
    case .unix(let path):
      let (link, hello) = try greeted(try socket(path), at: path, within: limits.connecting)
      return (link, hello, path)
    case .ssh(let hosts, let socket):
      var last = ServiceFault.lost("no host is named").failure(at: address.place)
      for host in hosts {
        do throws(BackendError) {
          let link = try ssh(to: host, socket)
          // ssh connects first, and may ask.
          let (_, hello) = try greeted(
            link, at: host.place, host, within: mayAsk ? limits.asking : limits.connecting * 2)
          return (link, hello, host.place)
        } catch {
          last = error
        }
      }
      throw last
    }
  }

  private func greeted(
    _ link: ServiceLink, at place: String, _ host: ServiceAddress.Host? = nil, within time: Duration
  ) throws(BackendError) -> (ServiceLink, ServiceHello) {
    do throws(ServiceFault) {
      return (link, try greet(link, until: ResponseDeadline(in: time)))
    } catch {
      if case .lost = error, let host, let status = link.exitStatus { throw sshFailure(status, host) }
      if case .silent = error { link.giveUp() }
      throw error.failure(at: place)
    }
  }

  private func greet(_ link: ServiceLink, until deadline: ResponseDeadline) throws(ServiceFault) -> ServiceHello {
    do throws(ServiceFault) {
      try link.send((try? ClientFrame.hello.encoded()) ?? [], until: deadline)
    } catch {
      // A message from before it closed explains more.
      guard case .lost = error else { throw error }
    }
    switch try link.receive(for: .plain, until: deadline) {
    case .hello(let hello): return hello
    case .failure(Frames.unnumbered, _, let error): throw .refused(error)
    case .response, .failure, .changed: throw .unasked
    }
  }

  // MARK: A socket of this machine

  private func socket(_ path: String) throws(BackendError) -> ServiceLink {
    let trust = SocketTrust(path: path)
    try trust.check()
    guard let address = sockaddr_un(path: path) else { throw unreachable(path, ErrorNumber(ENAMETOOLONG)) }
    guard let descriptor = address.connectedSocket(within: limits.connecting) else {
      throw unreachable(path, ErrorNumber.current)
    }
    let link = ServiceLink(descriptor)
    try trust.check(peer: descriptor)
    return link
  }

  private func unreachable(_ path: String, _ error: ErrorNumber) -> BackendError {
    switch error.code {
    // Its queue was full all the time: it accepts nobody, as while it cannot start.
    case EAGAIN: ServiceFault.silent(limits.connecting).failure(at: path)
    case EACCES, EPERM: .unavailable(.serviceNotPermitted, path.escaped, error.explanation)
    case _ where error.isOfDescriptors: BackendError(FileError.system(path, "cannot be connected to", error))
    case _: .unavailable(.serviceUnreachable, path.escaped, error.explanation)
    }
  }

  // MARK: Another machine

  /// The arguments of ssh; the host comes after `--`, so that it is never an option.
  ///
  /// A host that does not answer is left for the next one, which ssh alone would do after minutes.
  /// In a script, only the last one's failure is worth a message.
  /// A forced command takes the place of what is run on the host, and needs none of it.
  func arguments(to host: ServiceAddress.Host, _ socket: String?) -> [String] {
    let isLast = if case .ssh(let hosts, _) = address { hosts.last == host } else { true }
    return ["ssh", "-T", "-o", "ConnectTimeout=\(limits.connecting.wholeSeconds)"]
      + (mayAsk ? [] : ["-o", "BatchMode=yes"] + (isLast && limits.isInteractive ? [] : ["-q"]))
      + (host.port.map { ["-p", String($0)] } ?? [])
      + ["--", host.destination, "auth-service", "connect"]
      + (socket.map { ["--socket", ShellQuoting.posix($0)] } ?? [])
  }

  private func ssh(to host: ServiceAddress.Host, _ socket: String?) throws(BackendError) -> ServiceLink {
    var ends: [Int32] = [-1, -1]
    guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
      throw noSSH(ErrorNumber.current)
    }
    defer { close(ends[1]) }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDIN_FILENO)
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO)
    let arguments = arguments(to: host, socket).map { strdup($0) } + [nil]
    defer { for argument in arguments { free(argument) } }
    var process: pid_t = 0
    let result = posix_spawnp(&process, "ssh", &actions, nil, arguments, environ)
    guard result == 0 else {
      close(ends[0])
      throw noSSH(ErrorNumber(result))
    }
    return ServiceLink(ends[0], process: process)
  }

  private func noSSH(_ error: ErrorNumber) -> BackendError {
    error.isOfDescriptors
      ? BackendError(FileError.system("ssh", "cannot be run", error)) : .unavailable(.sshMissing, error.explanation)
  }

  private func sshFailure(_ status: Int32, _ host: ServiceAddress.Host) -> BackendError {
    let place = host.place.escaped
    return switch status {
    case 255:
      // Only the last host's failure is told, and then none was reached.
      .unavailable(
        .sshFailed, address.place.escaped,
        "ssh \(host.port.map { "-p \($0) " } ?? "")\(ShellQuoting.word(host.destination)) auth-service --version </dev/null | wc -c"
      )
    case 127: .unavailable(.serviceMissing, place)
    case _:
      .unavailable(
        .serviceUnreachable, place,
        "auth-service connect ended \(status < 0 ? "by a signal" : "with status \(status)"), as its message says")
    }
  }
}
