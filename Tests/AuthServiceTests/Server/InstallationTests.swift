import Foundation
import Glibc
import Programs
import Testing

@Suite("The units of systemd")
struct InstallationTests {
  private static let analyze = "/usr/bin/systemd-analyze"
  private static let hasSystemd = access(analyze, X_OK) == 0

  /// The units, with a program that exists.
  private func units() throws -> String {
    var name = Array("/tmp/units-XXXXXX".utf8CString)
    try #require(mkdtemp(&name) != nil)
    let folder = String(decoding: name.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    for unit in ["auth-service.service", "auth-service.socket"] {
      let text = try String(contentsOfFile: "fixtures/systemd/\(unit)", encoding: .utf8)
      try text.replacingOccurrences(of: "/usr/bin/auth-service", with: "/bin/true")
        .write(toFile: "\(folder)/\(unit)", atomically: false, encoding: .utf8)
      // Another test may have changed the mask of the process, and systemd warns of what all may
      // write.
      try #require(chmod("\(folder)/\(unit)", 0o644) == 0)
    }
    return folder
  }

  @Test("systemd finds nothing wrong with them", .enabled(if: hasSystemd, "systemd-analyze is not installed"))
  func verify() async throws {
    let folder = try units()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let outcome = try await Program(
      Self.analyze, ["verify", "--man=no", "\(folder)/auth-service.service", "\(folder)/auth-service.socket"],
      timeLimit: .seconds(60)
    ).run()
    #expect(outcome.ending == .exited(0) && outcome.text.isEmpty, "\(outcome.text)")
  }

  @Test(
    "systemd calls their exposure at most 0.6 of 10",
    .enabled(if: hasSystemd, "systemd-analyze is not installed"))
  func exposure() async throws {
    let folder = try units()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let outcome = try await Program(
      Self.analyze, ["security", "--offline=yes", "--threshold=6", "\(folder)/auth-service.service"],
      timeLimit: .seconds(60)
    ).run()
    #expect(outcome.ending == .exited(0), "\(outcome.text.suffix(200))")
  }

  @Test(
    "the user and the directories are created, and only the user of the service enters its own",
    .enabled(if: geteuid() == 0 && access("/usr/bin/systemd-tmpfiles", X_OK) == 0, "not root, or without systemd"))
  func directories() async throws {
    let root = try units()
    defer { try? FileManager.default.removeItem(atPath: root) }
    let outcome = try await Program(
      "bash",
      [
        "-euc",
        """
        mkdir -p "$1/etc"
        systemd-sysusers --root="$1" "$PWD/fixtures/systemd/auth-cli.sysusers"
        systemd-tmpfiles --root="$1" --create "$PWD/fixtures/systemd/auth-cli.tmpfiles"
        user=$(awk -F: '$1 == "auth-cli" { print $3 }' "$1/etc/passwd")
        cd "$1"; stat -c "%a %u %n" var/lib/auth-service run/auth-cli etc/auth-service | sed "s/ $user / auth-cli /"
        """, "bash", root,
      ], timeLimit: .seconds(60)
    ).run()
    #expect(outcome.ending == .exited(0), "\(outcome.text)")
    let lines = ["700 auth-cli var/lib/auth-service", "755 0 run/auth-cli", "755 0 etc/auth-service"]
    for line in lines { #expect(outcome.text.contains(line + "\n"), "\(outcome.text)") }
  }

  private static let activate = "/usr/bin/systemd-socket-activate"

  @Test(
    "the service takes the socket that systemd listens on, and leaves it there",
    .enabled(if: access(activate, X_OK) == 0, "systemd-socket-activate is not installed"))
  func socket() async throws {
    let service = try RunningService()
    service.end()
    let socket = service.folder + "/activated.sock"
    let process = try BackgroundProgram(
      Self.activate,
      ["--fdname=people", "--listen", socket, RunningService.executable, "run", "--database", service.data]
        + ["--operators", service.folder + "/operators.sock"],
      environment: Program.inheritedEnvironment, errors: service.folder + "/activated.log")
    while access(socket, F_OK) != 0 { try #require(process.isRunning) }
    let client = try ServiceClient(socket)
    _ = try client.logIn("alice")
    #expect(process.end(SIGTERM) == 0)
    #expect(access(socket, F_OK) == 0)
  }

  @Test("peers keep their user ids")
  func privateUsers() throws {
    let text = try String(contentsOfFile: "fixtures/systemd/auth-service.service", encoding: .utf8)
    #expect(!text.contains("\nPrivateUsers=") && !text.contains("\nDynamicUser="))
  }
}
