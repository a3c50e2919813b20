import Foundation
import Programs
import Services
import Testing

@Suite("The article 'Running the service'", .timeLimit(.minutes(10)))
struct ArticleTests {
  private static func article() throws -> String {
    try String(contentsOfFile: "Sources/Programs/AuthCLIProgram/AuthCLIProgram.docc/RunningService.md", encoding: .utf8)
  }

  /// The blocks of a kind.
  ///
  /// All kinds of commands are executed here, by `InstallationTests`, by `PostgresServiceTests`, by
  /// `SSHTests` or, those of the packages, by `make test-packages`.
  static func blocks(_ kind: String) throws -> [String] {
    try article().components(separatedBy: "```\(kind)\n").dropFirst().map { $0.components(separatedBy: "```")[0] }
  }

  @Test("each of its blocks is of a kind that is executed, or is no command")
  func kinds() throws {
    let fences = try Self.article().split(separator: "\n").filter { $0.hasPrefix("```") }.map { $0.dropFirst(3) }
    #expect(Set(fences) == ["", "sh", "service", "foreground", "postgres", "yaml"])
    #expect(try Self.blocks("sh").count == 5 && Self.blocks("service").count == 6 && Self.blocks("postgres").count == 3)
  }

  @Test("what it tells people to type works: the first login, an account with a code, and an open registration")
  func people() async throws {
    let service = try RunningService()
    let named = try Self.blocks("sh")[2].replacing("/run/auth-cli/authority.sock", with: service.socket)
    let article = try Self.article().split(whereSeparator: \.isWhitespace).joined(separator: " ")
    let commands = [
      "auth-cli register carol", "auth-cli recover carol", "auth-cli accounts registration open",
      "auth-service two-step off alice",
    ]
    #expect(commands.filter { !article.contains("`\($0)`") } == [])
    try await bash(
      """
      \(named)
      echo '\(RunningService.password)' | auth-cli login alice --password-stdin
      # As it is at first.
      auth-cli accounts registration closed
      code=$(auth-cli register carol)
      printf '%s\\n' "$code" 'a quite new passphrase' | auth-cli recover carol --password-stdin
      echo 'a quite new passphrase' | auth-cli login carol --password-stdin --context carol
      auth-cli accounts registration open
      echo 'a quite new passphrase' | auth-cli register dave --password-stdin --context dave
      # alice has no second step.
      ! auth-service two-step off alice
      """, ["HOME": service.folder, "AUTH_SERVICE_OPERATORS": service.operators],
      printing: "Logged in as alice", "Logged in as carol", "Registered dave")
  }

  @Test("its commands start the service where systemd does not")
  func foreground() async throws {
    let place = ShortFolder()
    let folder = place.path
    let blocks = try Self.blocks("foreground")
    try #require(blocks.count == 1)
    let (socket, operators) = ("\(folder)/run/auth-cli/authority.sock", "\(folder)/run/auth-service/operators.sock")
    let script = blocks[0].replacing("/var/lib/auth-service", with: "\(folder)/data").replacing(
      "/run/", with: "\(folder)/run/"
    ).replacing("auth-service run\n", with: "auth-service run --socket \(socket) --operators \(operators) &\n")
    try await bash(
      """
      # As the user of the test.
      install() { shift 5; command install -d "$@"; }
      runuser() { shift 3; exec "$@"; }
      echo '\(RunningService.password)' | auth-service schema install --database \(folder)/data \
        --first-administrator alice --password-stdin
      \(script)
      until auth-service health --operators \(operators) 2>\(folder)/log; do kill -0 $!; done
      kill $!
      wait
      """, printing: "Healthy.")
    withExtendedLifetime(place) {}
  }

  /// The units and the user of the service are played by functions, which start and stop the
  /// program as the user of the test.
  static let systemd = """
    runuser() { shift 3; "$@"; }
    chown() { [ "$1" = auth-cli: ] && [ -f "$2" ]; }
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
    let folder = place.path
    let blocks = try Self.blocks("service")
    try #require(blocks.count == 6)
    var script = blocks.joined()
    script.replace("/var/lib/auth-service", with: "\(folder)/data")
    script.replace("/var/backups", with: folder)
    try await bash(
      "\(Self.systemd)\(script)\nsystemctl stop",
      ["DIRECTORY": folder, "AUTH_SERVICE_OPERATORS": "\(folder)/operators.sock"],
      printing: "alice is its administrator", "The database is in order.", "\"healthy\":true", "Copied ",
      "administrators: alice", "auth-cli recover alice", "There are no events before that time.")
    withExtendedLifetime(place) {}
  }
}
