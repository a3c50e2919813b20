import Foundation
import Programs
import Services
import Testing

/// The server of ssh, where it is installed.
private let sshd: String? = ["/usr/sbin/sshd", "/usr/local/sbin/sshd"].first { access($0, X_OK) == 0 }

/// auth-cli through a server of ssh on this machine, with keys made for the test.
@Suite("Through ssh", .enabled(if: sshd != nil, "sshd is missing"), .timeLimit(.minutes(10)))
struct SSHTests {
  @Test("a forced command, a shared connection and a list of hosts lead to the service")
  func forcedCommand() async throws {
    let service = try RunningService()
    let home = ShortFolder()
    let text = try await bash(
      """
      cd "$HOME"; mkdir bin
      ssh-keygen -q -t ed25519 -N '' -f host; ssh-keygen -q -t ed25519 -N '' -f key
      echo "restrict,command=\\"\(RunningService.executable) connect --name carol --socket \(service.socket)\\" $(cat key.pub)" > keys
      [ "$(id -u)" -ne 0 ] || mkdir -p /run/sshd
      printf '%s\\n' "HostKey $HOME/host" "AuthorizedKeysFile $HOME/keys" \\
        'StrictModes no' 'UsePAM no' 'PidFile none' 'PermitRootLogin yes' > sshd_config
      # The server speaks through a pipe, and so needs no port.
      printf '%s\\n' 'Host service' "ProxyCommand \(sshd ?? "") -i -e -f $HOME/sshd_config 2>> $HOME/log" \\
        "User $(id -un)" "IdentityFile $HOME/key" 'IdentitiesOnly yes' "UserKnownHostsFile $HOME/known" \\
        'StrictHostKeyChecking accept-new' 'ControlMaster auto' "ControlPath $HOME/c" 'ControlPersist 60' > ssh_config
      printf '#!/bin/sh\\nexec /usr/bin/ssh -F "$HOME/ssh_config" "$@"\\n' > bin/ssh
      chmod +x bin/ssh; PATH="$HOME/bin:$PATH"
      trap '/usr/bin/ssh -F ssh_config -O exit service 2>&1' EXIT
      \(ClientProgramTests.password) auth-cli login alice --password-stdin
      auth-cli status
      auth-cli pay 12.50 --to bob
      \(try ArticleTests.blocks("sh")[3].replacing("carol@db.example.org", with: "service"))
      auth-cli status
      # The first host refuses; the second one is the service.
      AUTH_CLI_AUTHORITY=ssh://127.0.0.1:1,service auth-cli status
      # The key can do this and nothing else.
      ssh service id < /dev/null | wc -c
      """, ["HOME": home.path, "AUTH_CLI_AUTHORITY": "ssh://service"],
      printing: "Logged in as alice", "at service, encrypted by ssh.", "Paid 12.50 to bob.")
    // `status` names the host that answered.
    #expect(text.split(separator: " at service, encrypted by ssh.").count == 4)
    #expect(!text.contains("uid="))
  }
}
