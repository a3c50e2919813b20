import AuthBackend
import AuthCore
import Foundation
import Programs
import Testing

@testable import AuthService

/// auth-service is killed after it did what was asked, and before its answer arrives.
@Suite("A service that is killed")
struct KilledServiceTests {
  @Test("has begun one session for a login that is repeated")
  func login() throws {
    let killing = KillingService(try RunningService()) { if case .logIn = $0 { true } else { false } }
    let (service, authority) = try killing.authority()
    let grant = try authority.logIn(EmbeddedRules.alice, limits: .standard)
    #expect(killing.kills == 1)
    guard case .sessions(let sessions) = try authority.perform(.sessions(SessionsPage(), grant.token)) else {
      throw WireFault.invalid("list of sessions")
    }
    #expect(sessions.map(\.id) == [grant.id])
    withExtendedLifetime(service) {}
  }

  @Test("has renewed the session and changed the password once")
  func renewal() throws {
    let real = try RunningService()
    let killing = KillingService(real) { if case .reauthenticate = $0 { true } else { false } }
    let (service, authority) = try killing.authority()
    let first = try authority.logIn(EmbeddedRules.alice, limits: .standard)
    let second = try authority.reauthenticate(
      first.token, password: EmbeddedRules.alice.password, requesting: .standard)
    #expect(killing.kills == 1 && second.id == first.id)
    try authority.ask(.confirm(second.token), \.done)
    let changing = KillingService(real) { if case .changePassword = $0 { true } else { false } }
    let (next, changed) = try changing.authority()
    let new = Credentials.password(username: "alice", password: Secret("a quite new passphrase"))
    let third = try changed.changePassword(from: EmbeddedRules.alice.password, to: new.password, token: second.token)
    #expect(changing.kills == 1 && third.id == first.id)
    try changed.ask(.confirm(third.token), \.done)
    _ = try changed.logIn(new, limits: .standard)
    withExtendedLifetime((service, next)) {}
  }

  @Test("has made codes that nobody knows, which is said, and makes new ones")
  func codes() throws {
    let killing = KillingService(try RunningService()) { if case .makeRecoveryCodes = $0 { true } else { false } }
    let (service, authority) = try killing.authority()
    let token = try authority.logIn(EmbeddedRules.alice, limits: .standard).token
    let error = failure { try authority.perform(.makeRecoveryCodes(token)) }
    #expect(error?.code == "outcome_unknown")
    guard case .recoveryCodes(let codes) = try authority.perform(.makeRecoveryCodes(token)) else {
      throw WireFault.invalid("list of codes")
    }
    _ = try authority.recover(
      username: "alice", code: try #require(codes.last), password: Secret("a quite new passphrase"))
    withExtendedLifetime(service) {}
  }

  @Test("has paid once, with a key of the user and without one")
  func payment() throws {
    let real = try RunningService()
    var token: SessionToken?
    for key in ["rent", nil] {
      let killing = KillingService(real) { if case .pay = $0 { true } else { false } }
      let (service, authority) = try killing.authority()
      let session = try token ?? authority.logIn(EmbeddedRules.alice, limits: .standard).token
      token = session
      let order = PaymentOrder(
        amount: try Amount("10"), payee: try Username("bob"), key: try key.map { try IdempotencyKey($0) })
      _ = try authority.perform(.pay(order, session))
      #expect(killing.kills == 1)
      guard case .profile(let profile) = try authority.perform(.profile(session)) else {
        throw WireFault.invalid("profile")
      }
      #expect(profile.balance == (key == nil ? 80_00 : 90_00))
      withExtendedLifetime(service) {}
    }
  }
}

/// The server of ssh, where it is installed.
private let sshd: String? = ["/usr/sbin/sshd", "/usr/local/sbin/sshd"].first { access($0, X_OK) == 0 }

/// auth-cli through a server of ssh on this machine, with keys made for the test.
@Suite("Through ssh", .enabled(if: sshd != nil, "sshd is missing"))
struct SSHTests {
  @Test("a forced command, a shared connection and a list of hosts lead to the service")
  func forcedCommand() async throws {
    let service = try RunningService()
    let person = ClientProgramTests.Person("ssh://service")
    let outcome = try await person.run(
      """
      set -eu
      cd "$HOME"; mkdir bin
      ssh-keygen -q -t ed25519 -N '' -f host; ssh-keygen -q -t ed25519 -N '' -f key
      echo "restrict,command=\\"\(RunningService.executable) connect --name carol --socket \(service.socket)\\" $(cat key.pub)" > keys
      [ "$(id -u)" -ne 0 ] || mkdir -p /run/sshd
      port=$((20000 + RANDOM % 10000))
      printf '%s\\n' "Port $port" 'ListenAddress 127.0.0.1' "HostKey $HOME/host" "AuthorizedKeysFile $HOME/keys" \\
        'StrictModes no' 'UsePAM no' 'PidFile none' 'PermitRootLogin yes' > sshd_config
      printf '%s\\n' 'Host service' 'HostName 127.0.0.1' "Port $port" "User $(id -un)" "IdentityFile $HOME/key" \\
        'IdentitiesOnly yes' "UserKnownHostsFile $HOME/known" 'StrictHostKeyChecking accept-new' \\
        'ControlMaster auto' "ControlPath $HOME/c" 'ControlPersist 60' > ssh_config
      printf '#!/bin/sh\\nexec /usr/bin/ssh -F "$HOME/ssh_config" "$@"\\n' > bin/ssh
      chmod +x bin/ssh; PATH="$HOME/bin:$PATH"
      \(sshd ?? "") -D -e -f "$HOME/sshd_config" 2> log & server=$!
      trap '/usr/bin/ssh -F ssh_config -O exit service 2>&1; kill $server' EXIT
      until grep -q 'Server listening' log; do kill -0 $server; done
      \(ClientProgramTests.Person.password) auth-cli login alice --password-stdin
      auth-cli status
      auth-cli pay 12.50 --to bob
      \(try ArticleTests.blocks("sh")[2].replacing("carol@db.example.org", with: "service"))
      # The first host refuses; the second one is the service.
      AUTH_CLI_AUTHORITY=ssh://127.0.0.1:1,service auth-cli status
      # The key can do this and nothing else.
      ssh service id < /dev/null | wc -c
      """)
    #expect(outcome.ending == .exited(0), "\(outcome.text)")
    for words in [
      "Logged in as alice", "at service, encrypted by ssh.", "Paid 12.50 to bob.", "at 127.0.0.1 port 1, service",
    ] {
      #expect(outcome.text.contains(words), "\(outcome.text)")
    }
    #expect(!outcome.text.contains("uid="))
  }
}
