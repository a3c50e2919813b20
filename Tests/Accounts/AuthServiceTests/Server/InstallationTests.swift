import Foundation
import Glibc
import Programs
import Services
import Terminals
import Testing

@Suite("The units of systemd", .timeLimit(.minutes(10)))
struct InstallationTests {
  private static let analyze = "/usr/bin/systemd-analyze"
  private static let hasSystemd = access(analyze, X_OK) == 0

  /// Runs `make` as the article says, with a folder as the root of the system, and then a script.
  ///
  /// `--assume-old` leaves out the release build, which would wait for this test to end.
  private func install(_ script: String) async throws -> String {
    let folder = ShortFolder()
    return try await bash(
      """
      # Another test may have changed the mask, and systemd warns of what all may write.
      umask 022
      root="$1/with a blank" service=$2 client=$3
      make() {
        command make --silent --assume-old=release --assume-old=release-service RELEASE="$client" SERVICE="$service" \
          DESTDIR="$root" "$@" >"$root/log"
        # So that systemd finds the program.
        unit="$root/usr/lib/systemd/system/auth-service.service"
        [ ! -f "$unit" ] || sed -i "s|/usr/bin/|$root/usr/bin/|" "$unit"
      }
      systemd-sysusers() {
        ! command -v systemd-sysusers >"$root/log" || command systemd-sysusers --root="$root" >"$root/log" 2>&1
      }
      systemd-tmpfiles() {
        [ "$(id -u)" -ne 0 ] || ! command -v systemd-tmpfiles >"$root/log" ||
          command systemd-tmpfiles --root="$root" "$@"
      }
      mkdir -p "$root/etc"
      \(try ArticleTests.blocks("sh")[1])
      units="$root/usr/lib/systemd/system"
      \(script)
      """, arguments: [folder.path, RunningService.executable, LeastCost.products + "/auth-cli"])
  }

  @Test("make installs both programs, their pages and the units, and removes exactly these again")
  func files() async throws {
    let text = try await install(
      """
      cd "$root"; find usr -type f | sort; "$root/usr/bin/auth-service" --version
      # The articles that the pages name.
      grep -oh '[^ ]*share/doc/.*[.]md' usr/share/man/man1/* | tr -d '\\\\' | while read -r article; do ls "$root$article"; done
      cd "$OLDPWD"
      touch "$root/usr/bin/other"
      command make --silent uninstall uninstall-service PREFIX=/usr DESTDIR="$root"
      find "$root/usr" -type f -o -path '*/doc/*'
      """)
    let files = """
      usr/bin/auth-cli
      usr/bin/auth-service
      usr/lib/systemd/system/auth-service.service
      usr/lib/systemd/system/auth-service.socket
      usr/lib/sysusers.d/auth-cli.conf
      usr/lib/tmpfiles.d/auth-cli.conf
      usr/share/bash-completion/completions/auth-cli
      usr/share/doc/auth-cli/ThreatModel.md
      usr/share/doc/auth-cli/UseTheProgram.md
      usr/share/doc/auth-service/AccountsForYourTool.md
      usr/share/doc/auth-service/RunningService.md
      usr/share/doc/auth-service/postgres-tcp.conf
      usr/share/fish/vendor_completions.d/auth-cli.fish
      usr/share/man/man1/auth-cli.1
      usr/share/man/man1/auth-service.1
      usr/share/zsh/site-functions/_auth-cli

      """
    #expect(text.contains(files) && text.hasSuffix("/usr/bin/other\n"), "\(text)")
    #expect(text.split(separator: "\n").count == 20, "\(text)")
  }

  @Test("make installs what another user has built, and builds nothing in the clone of that user")
  func built() async throws {
    let clone = ShortFolder()
    let text = try await bash(
      """
      mkdir -m 555 "$1/.build"
      [ "$(id -u)" -ne 0 ] || chown 65534 "$1/.build"
      builds() {
        make --dry-run -C "$1" -f "$PWD/Makefile" install install-service RELEASE="$2" SERVICE="$2" 2>"$1/log" |
          grep -c '^[.]ci/release' || true
      }
      builds "$1" "$1/missing"; builds "$1" "$2"
      """, arguments: [clone.path, RunningService.executable])
    #expect(text == "2\n0\n")
  }

  @Test(
    "systemd finds nothing wrong with the units, and calls their exposure at most 0.6 of 10",
    .enabled(if: hasSystemd, "systemd-analyze is not installed"))
  func verify() async throws {
    let text = try await install(
      """
      systemd-analyze verify --man=no "$units/auth-service.service" "$units/auth-service.socket"
      systemd-analyze security --offline=yes --threshold=6 "$units/auth-service.service" >"$root/log" || cat "$root/log"
      """)
    #expect(text.isEmpty, "\(text)")
  }

  @Test(
    "the user and the directories are created, and only the user of the service enters its own",
    .enabled(if: geteuid() == 0 && access("/usr/bin/systemd-tmpfiles", X_OK) == 0, "not root, or without systemd"))
  func directories() async throws {
    let text = try await install(
      """
      user=$(awk -F: '$1 == "auth-cli" { print $3 }' "$root/etc/passwd")
      cd "$root"; stat -c "%a %u %n" var/lib/auth-service run/auth-cli etc/auth-service | sed "s/ $user / auth-cli /"
      """)
    let lines = ["700 auth-cli var/lib/auth-service", "755 0 run/auth-cli", "755 0 etc/auth-service"]
    for line in lines { #expect(text.contains(line + "\n"), "\(text)") }
  }

  private static let activate = "/usr/bin/systemd-socket-activate"

  @Test(
    "the service takes the socket that systemd listens on, and leaves it there",
    .enabled(if: access(activate, X_OK) == 0, "systemd-socket-activate is not installed"))
  func socket() async throws {
    let service = try RunningService()
    service.end()
    let socket = service.folder + "/activated.sock"
    let process = try TerminalProcess(
      [
        Self.activate, "--fdname=people", "--listen", socket, RunningService.executable, "run", "--database",
        service.data, "--operators", service.operators,
      ], environment: Program.inheritedEnvironment, errors: service.folder + "/activated.log")
    var client: ServiceClient?
    // The file is there a moment before somebody listens.
    while client == nil {
      try #require(process.isRunning)
      client = try? ServiceClient(socket)
    }
    _ = try client?.logIn("alice")
    #expect(try process.end(SIGTERM) == .exited(0))
    #expect(access(socket, F_OK) == 0)
  }

  @Test("the unit leaves the service what it needs: the user ids of its peers, and the boot id")
  func needs() throws {
    let text = try String(contentsOfFile: "fixtures/systemd/auth-service.service", encoding: .utf8)
    #expect(!text.contains("\nPrivateUsers=") && !text.contains("\nDynamicUser=") && !text.contains("\nProcSubset="))
  }
}
