import Foundation
import Glibc

/// `status` through a forwarding that ssh holds open, and a server of ssh on this machine.
func forwarded(_ service: Service) throws -> Benchmark {
  let direct = service.command("status")
  let forwarding = Result { try Forwarding(of: service) }
  return Benchmark("status through ssh, longer by", .milliseconds, .limit(1.5), samples: 100) {
    let status = service.command("status", through: try forwarding.get().socket)
    return try status.time() - direct.time()
  }
}

/// A server of ssh with keys of its own on the loopback, and a client that forwards a socket.
private final class Forwarding {
  let socket: String
  private let folder: String
  private var processes: [pid_t] = []

  init(of service: Service) throws {
    folder = FileManager.default.temporaryDirectory.path + "/bench-ssh-\(UInt32.random(in: 0 ... .max))"
    socket = folder + "/s"
    let (errors, port) = (folder + "/log", Int.random(in: 20_000..<30_000))
    // sshd starts itself again, and wants an absolute path for that.
    let places = ["/usr/sbin/sshd", "/usr/local/sbin/sshd"]
    guard let server = places.first(where: { access($0, X_OK) == 0 }) else {
      throw Skip(reason: "sshd is not installed")
    }
    try FileManager.default.createDirectory(
      atPath: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    if geteuid() == 0 { mkdir("/run/sshd", 0o755) }
    for name in ["host", "key"] {
      try Program(
        path: Program.installed("ssh-keygen"), arguments: ["-q", "-t", "ed25519", "-N", "", "-f", "\(folder)/\(name)"],
        errors: errors
      ).run()
    }
    let configuration = [
      "Port \(port)", "ListenAddress 127.0.0.1", "HostKey \(folder)/host", "AuthorizedKeysFile \(folder)/key.pub",
      "StrictModes no", "UsePAM no", "PidFile none", "PermitRootLogin yes",
    ]
    let file = folder + "/sshd_config"
    try (configuration.joined(separator: "\n") + "\n").write(toFile: file, atomically: false, encoding: .utf8)
    processes.append(try Program(path: server, arguments: ["-D", "-e", "-f", file], errors: errors).start())
    try wait(for: "the server of ssh") {
      (try? String(contentsOfFile: errors, encoding: .utf8))?.contains("Server listening") == true
    }
    let words = [
      "-N", "-F", "/dev/null", "-p", "\(port)", "-i", folder + "/key", "-o", "IdentitiesOnly=yes",
      "-o", "BatchMode=yes", "-o", "StrictHostKeyChecking=no", "-o", "UserKnownHostsFile=/dev/null",
      "-L", "\(socket):\(service.socket)", "127.0.0.1",
    ]
    processes.append(try Program(path: Program.installed("ssh"), arguments: words, errors: errors).start())
    try wait(for: "the forwarding") { access(socket, F_OK) == 0 }
  }

  private func wait(for what: String, _ isThere: () -> Bool) throws {
    let end = ContinuousClock.now + .seconds(10)
    while !isThere() {
      guard ContinuousClock.now < end else { throw Failure(reason: "\(what) does not start, see \(folder)/log") }
      // A socket that appears is no event; nothing is measured yet.
      usleep(10_000)
    }
  }

  deinit {
    for process in processes {
      kill(process, SIGTERM)
      waitpid(process, nil, 0)
    }
    try? FileManager.default.removeItem(atPath: folder)
  }
}
