import AuthBackend
import AuthCore
import AuthLocal
import Races
import Synchronization
import Testing

private let newPassword = Password("quiet meadow copper lantern")

@Suite struct RecoveryTests {
  @Test("a code is read without regard to case, hyphens, spaces and look-alike letters")
  func reading() {
    let code = RecoveryCode(typed: Array("01234-56789-abcde-fghjk-mnpqr".utf8))
    #expect(code.isWellFormed && code.text == "01234-56789-abcde-fghjk-mnpqr")
    for typed in ["0123456789ABCDEFGHJKMNPQR", "o1234 56789 abcde fghjk mnpqr", "0-L-2-3456789abcdefGHJK-mnpqr\r"] {
      #expect(RecoveryCode(typed: Array(typed.utf8)) == code, "\(typed)")
    }
    for typed in ["", "0123456789ABCDEFGHJKMNPQ", "0123456789ABCDEFGHJKMNPQRS", "u123456789ABCDEFGHJKMNPQR"] {
      #expect(!RecoveryCode(typed: Array(typed.utf8)).isWellFormed, "\(typed)")
    }
    #expect(!"\(code)\(String(reflecting: code))".contains("01234"))
  }

  @Test("codes are stored as their SHA-256, and as nothing else")
  func storage() throws {
    let work = Workspace()
    let authority = work.authority()
    try authority.registerBoth()
    let codes = try authority.makeRecoveryCodes(token: try authority.logIn().token)
    let stored = Set(work.raw.rows("SELECT hex(code_hash) FROM codes WHERE account = 1")?.map { $0[0] } ?? [])
    #expect(stored == Set(codes.map { Hex.text(SHA256.hash($0.canonical)).uppercased() }))
    for code in codes {
      let forms = "-e '\(code.text)' -e '\(String(decoding: code.canonical, as: UTF8.self))'"
      #expect(work.run("grep -c \(forms) '\(work.databasePath)'") == "0")
    }
  }

  @Test("a one-time code expires by the boot clock whatever the wall clock says, and by the wall clock after a reboot")
  func expiry() throws {
    let wall = MovableTime()
    let work = Workspace()
    let authority = work.authority(wallClock: { wall.now })
    try authority.registerBoth()
    let bob = try Username("bob")
    func recover(_ code: OneTimeCode) -> String? {
      failure { () throws(BackendError) in
        try authority.recover(username: "bob", code: code.code, password: newPassword)
      }?.code
    }
    let first = try authority.resetPasswordAsOwner(of: bob)
    work.clock.advance(by: .seconds(3600))
    wall.move(by: -86_400)
    #expect(recover(first) == "credentials_not_accepted")
    let second = try authority.resetPasswordAsOwner(of: bob)
    work.clock.reboot()
    wall.move(by: 3599)
    #expect(recover(second) == nil)
    let third = try authority.resetPasswordAsOwner(of: bob)
    work.clock.reboot()
    wall.move(by: 3600)
    #expect(recover(third) == "credentials_not_accepted")
  }
}

/// Two connections to one database, as two processes have them.
@Suite struct AccountRaceTests {
  private static let rounds = 200

  /// Runs an operation on each of two connections at once.
  private func race(
    _ work: Workspace, _ first: @escaping @Sendable (LocalAuthority) throws(BackendError) -> Void,
    _ second: @escaping @Sendable (LocalAuthority) throws(BackendError) -> Void
  ) -> [String?] {
    let sides = [work.authority(), work.authority()]
    let answers = Mutex<[String?]>([nil, nil])
    TwoThreads.both { side in
      let answer = code { () throws(BackendError) in side == 0 ? try first(sides[0]) : try second(sides[1]) }
      answers.withLock { $0[side] = answer }
    }
    return answers.withLock { $0 }
  }

  @Test("of two uses of one code exactly one sets a password")
  func sameCodeTwice() throws {
    let work = Workspace()
    let authority = work.authority()
    try authority.registerBoth()
    let bob = try Username("bob")
    for round in 0..<Self.rounds {
      let issued = try authority.resetPasswordAsOwner(of: bob).code
      let use: @Sendable (LocalAuthority) throws(BackendError) -> Void = { (authority) throws(BackendError) in
        _ = try authority.recover(username: "bob", code: issued, password: newPassword)
      }
      let answers = race(work, use, use)
      #expect(answers.count { $0 == nil } == 1, "round \(round): \(answers)")
      #expect(answers.contains("credentials_not_accepted"), "round \(round): \(answers)")
    }
    #expect(work.raw.number("SELECT count(*) FROM codes") == 0)
  }

  @Test("of two administrators who demote each other at once exactly one stays")
  func twoDemotions() throws {
    let work = Workspace()
    let authority = work.authority()
    try authority.registerBoth()
    let (alice, bob) = (try Username("alice"), try Username("bob"))
    let (first, second) = (try authority.logIn().token, try authority.logIn("bob", bobPassword).token)
    for round in 0..<Self.rounds {
      work.raw.script("UPDATE accounts SET role = 'administrator'")
      let answers = race(
        work, { (authority) throws(BackendError) in _ = try authority.setRole(.member, account: bob, token: first) },
        { (authority) throws(BackendError) in _ = try authority.setRole(.member, account: alice, token: second) })
      #expect(answers.count { $0 == nil } == 1, "round \(round): \(answers)")
      #expect(
        work.raw.number("SELECT count(*) FROM accounts WHERE role = 'administrator'") == 1, "round \(round): \(answers)"
      )
    }
  }

  @Test("of a payment to an account and its deletion at once, no money is lost")
  func deletionAgainstPayment() throws {
    let work = Workspace()
    let authority = work.authority()
    _ = try authority.register(username: "alice", password: alicePassword)
    let alice = try authority.logIn().token
    for round in 0..<Self.rounds {
      let name = "u\(round)"
      _ = try authority.registerOther(username: name, token: alice)
      work.raw.script(
        """
        BEGIN;
        INSERT INTO transfers(payer, payee, amount, made_at)
          SELECT id, 1, 10000, 0 FROM accounts WHERE name = '\(name)';
        INSERT INTO entries(account, transfer, amount) SELECT payer, id, -10000 FROM transfers ORDER BY id DESC LIMIT 1;
        INSERT INTO entries(account, transfer, amount) SELECT payee, id, 10000 FROM transfers ORDER BY id DESC LIMIT 1;
        UPDATE ledger_accounts SET balance = balance + 10000 WHERE id = 1;
        UPDATE ledger_accounts SET balance = 0 WHERE id = (SELECT id FROM accounts WHERE name = '\(name)');
        COMMIT
        """)
      let (user, order) = (try Username(name), try authority.order("1", to: name))
      let answers = race(
        work, { (authority) throws(BackendError) in try authority.deleteAccount(user, token: alice) },
        { (authority) throws(BackendError) in _ = try authority.pay(order, token: alice) })
      #expect(
        answers == [nil, "payee_unknown"] || answers == ["balance_not_zero", nil], "round \(round): \(answers)")
    }
    work.expectBalancedBooks()
    #expect(
      work.raw.number(
        "SELECT count(*) FROM accounts a JOIN ledger_accounts l ON l.id = a.id WHERE a.name LIKE '#%' AND l.balance <> 0"
      )
        == 0)
  }
}

/// A wall clock that a test moves.
private final class MovableTime: Sendable {
  private let microseconds = Atomic(WallTime.now().microseconds)

  var now: WallTime { WallTime(microseconds: microseconds.load(ordering: .relaxed)) }

  func move(by seconds: Int64) { microseconds.add(seconds * 1_000_000, ordering: .relaxed) }
}
