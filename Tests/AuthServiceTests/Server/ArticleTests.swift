import Foundation
import Glibc
import Programs
import Services
import Testing

@Suite("The article 'Running the service'")
struct ArticleTests {
  private static func blocks(_ kind: String) throws -> [String] {
    let path = "Sources/AuthProgram/AuthProgram.docc/RunningService.md"
    return try String(contentsOfFile: path, encoding: .utf8).components(separatedBy: "```\(kind)\n").dropFirst().map {
      $0.components(separatedBy: "```")[0]
    }
  }

  /// The units and the user of the service are played by functions, which start and stop the
  /// program as the user of the test.
  static let systemd = """
    runuser() { shift 3; "$@"; }
    systemctl() {
      case $1 in
        stop) [ -e "${DIRECTORY:-}/pid" ] || return 0; kill "$(cat "$DIRECTORY/pid")"; tail --pid="$(cat "$DIRECTORY/pid")" -f /dev/null ;;
        *) auth-service run --database "$DIRECTORY/data" --socket "$DIRECTORY/people.sock" >"$DIRECTORY/log" 2>&1 &
           echo $! >"$DIRECTORY/pid"
           until auth-service health >/dev/null 2>&1; do kill -0 "$(cat "$DIRECTORY/pid")"; done ;;
      esac
    }

    """

  @Test("its commands for an SQLite database lead from nothing through a restore to an archive")
  func commands() async throws {
    let place = ShortFolder()
    defer { withExtendedLifetime(place) {} }
    let folder = place.path
    let blocks = try Self.blocks("service")
    try #require(blocks.count == 6)
    let script = blocks.joined().replacing("/var/lib/auth-service", with: folder + "/data")
      .replacing("/var/backups", with: folder)
    mkdir(folder + "/bin", 0o755)
    #expect(symlink(RunningService.executable, folder + "/bin/auth-service") == 0)
    let outcome = try await Program(
      "bash", ["-eu", "-c", Self.systemd + script + "\nsystemctl stop"],
      environment: [
        "PATH": "\(folder)/bin:/usr/bin:/bin", "DIRECTORY": folder, "LC_ALL": "C.UTF-8",
        "AUTH_SERVICE_OPERATORS": folder + "/operators.sock",
      ], timeLimit: .seconds(120)
    ).run()
    #expect(outcome.ending == .exited(0), "\(outcome.text)")
    for text in [
      "alice is its administrator", "The database is in order.", "\"healthy\":true", "Copied ", "administrators: alice",
      "One-time code for alice: ", "There are no events before that time.",
    ] { #expect(outcome.text.contains(text), "\(text): \(outcome.text)") }
  }
}
