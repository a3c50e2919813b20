import AuthBackend
import AuthCore
import PostgresServers
import Testing

@testable import AuthPostgres

extension PostgresTests {
  /// What a client that owns the transaction learns from each function that judges a guess, and
  /// what stays counted, whether it commits or rolls back.
  ///
  /// The same questions are asked of whatever judges next.
  @Suite struct JudgingTests {
    /// A function that judges, with what counts a guess for it.
    enum Judge: String, CaseIterable {
      case login, reauthentication, passwordChange, twoStepEnd
    }

    enum Input: String, CaseIterable {
      case noCode, wrongCode, rightCode, wrongPassword, foreignTicket, wrongToken, settingChanged, betterHash
    }

    /// What is learned, and what is counted after a commit and after a rollback.
    struct Row: Equatable {
      let learned: String
      let committed: Int
      let rolledBack: Int

      init(_ learned: String, _ committed: Int, _ rolledBack: Int) {
        (self.learned, self.committed, self.rolledBack) = (learned, committed, rolledBack)
      }
    }

    /// The right password without a code opens nothing, and is not counted as a wrong code.
    ///
    /// Everything else that opens nothing stays counted: it could have been judged before, in a
    /// transaction that was rolled back.
    static let table: [Judge: [Input: Row]] = [
      .login: [
        .noCode: Row("challenged", 0, 1), .wrongCode: Row("challenged", 1, 1), .rightCode: Row("ok", 0, 1),
        .wrongPassword: Row("credentials", 1, 1), .foreignTicket: Row("ticket_unknown", 1, 1),
        .wrongToken: Row(ServerState.malformed, 1, 1), .settingChanged: Row("setting_changed", 1, 1),
        .betterHash: Row("challenged", 0, 1),
      ],
      .reauthentication: [
        .noCode: Row("challenged", 0, 1), .wrongCode: Row("challenged", 1, 1), .rightCode: Row("ok", 0, 1),
        .wrongPassword: Row("credentials", 1, 1), .foreignTicket: Row("ticket_unknown", 1, 1),
        .wrongToken: Row("session_revoked", 1, 1), .settingChanged: Row("setting_changed", 1, 1),
        .betterHash: Row("challenged", 0, 1),
      ],
      // It takes no code: a guess that was counted with one has a wrong one.
      .passwordChange: [
        .noCode: Row("ok", 0, 1), .wrongCode: Row("challenged", 1, 1), .rightCode: Row("challenged", 1, 1),
        .wrongPassword: Row("credentials", 1, 1), .foreignTicket: Row("ticket_unknown", 1, 1),
        .wrongToken: Row("session_revoked", 1, 1), .settingChanged: Row("setting_changed", 1, 1),
      ],
      .twoStepEnd: [
        .noCode: Row("step_wrong", 1, 1), .wrongCode: Row("step_wrong", 1, 1), .rightCode: Row("ok", 0, 1),
        .foreignTicket: Row("ticket_unknown", 1, 1), .wrongToken: Row("session_revoked", 1, 1),
        .settingChanged: Row("ok", 0, 1),
      ],
    ]

    @Test("what each judge tells and leaves counted", arguments: Judge.allCases)
    func judges(judge: Judge) throws {
      let scene = try JudgingScene()
      for (input, row) in try #require(Self.table[judge]).sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
        for isCommitted in [true, false] {
          let (learned, counted) = try scene.ask(judge, input, isCommitted: isCommitted)
          #expect(learned == row.learned, "\(judge), \(input), \(isCommitted ? "committed" : "rolled back")")
          #expect(
            counted == (isCommitted ? row.committed : row.rolledBack),
            "\(judge), \(input), \(isCommitted ? "committed" : "rolled back")")
        }
      }
    }

    @Test("who holds no session, or the ticket of another one, learns nothing of the guess", arguments: Judge.allCases)
    func tellsNothing(judge: Judge) throws {
      let scene = try JudgingScene()
      for input in [Input.foreignTicket, .wrongToken, .settingChanged] where judge != .login || input != .wrongToken {
        if judge == .twoStepEnd, input == .settingChanged { continue }
        let right = try scene.ask(judge, input, isCommitted: false)
        let wrong = try scene.ask(judge, input, isRight: false, isCommitted: false)
        #expect(right == wrong, "\(judge), \(input)")
      }
    }

    /// What a client may try after it heard a verdict and rolled it back.
    enum Escape: CaseIterable {
      case wrongToken, otherSession, settingChanged, rightPasswordAlone, nothing
    }

    @Test(
      "five guesses are heard, whatever is done with the verdict",
      arguments: Judge.allCases, Escape.allCases)
    func endless(judge: Judge, escape: Escape) throws {
      let scene = try JudgingScene()
      var heard = 0
      for _ in 0..<12 {
        let ticket = scene.nextTicket()
        let input = judge == .passwordChange ? Input.wrongPassword : .wrongCode
        guard try scene.count(judge, input, ticket, isRight: true) == "hear" else { continue }
        heard += 1
        _ = try scene.judged(judge, input, ticket, isRight: true, isCommitted: false)
        switch escape {
        case .wrongToken: _ = try scene.judged(judge, .wrongToken, ticket, isRight: true, isCommitted: true)
        case .otherSession:
          _ = try scene.judged(judge, input, ticket, isRight: false, isCommitted: true, token: "other")
        case .settingChanged:
          try scene.changeSetting()
          _ = try scene.judged(judge, input, ticket, isRight: false, isCommitted: true)
          try scene.restoreSetting()
        case .rightPasswordAlone:
          let another = scene.nextTicket()
          if try scene.count(.login, .noCode, another, isRight: true) == "hear" {
            _ = try scene.judged(.login, .noCode, another, isRight: true, isCommitted: true)
          }
        case .nothing: break
        }
      }
      #expect(heard == 5)
    }

    @Test("a code is judged by the time at which it was counted, and a guess for ten minutes")
    func oldTicket() throws {
      let scene = try JudgingScene()
      let ticket = scene.nextTicket()
      let coming = scene.code(after: 300)
      #expect(try scene.countLogin(ticket, code: coming) == "hear")
      try scene.database.advance(by: .seconds(300))
      #expect(try scene.judgeLogin(ticket, code: coming) == "challenged")
      let late = scene.nextTicket()
      #expect(try scene.countLogin(late, code: nil) == "hear")
      try scene.database.advance(by: .nanoseconds(ServerSchema.ticketLife) + .seconds(1))
      #expect(try scene.judgeLogin(late, code: nil) == "ticket_unknown")
    }

    /// Of the present password it tells nothing: `right` and `new` are answered alike.
    @Test("a recovery code is judged and counted by one call, which may be rolled back: it has 125 random bits")
    func recovery() throws {
      let scene = try JudgingScene()
      for (code, proof, learned, committed) in [
        ("none", "new", "code_not_accepted", 1), ("none", "right", "code_not_accepted", 1),
        ("recovery", "new", "ok", 0),
        ("recovery", "right", "ok", 0),
      ] {
        for isCommitted in [false, true] {
          try scene.start()
          try scene.person.sql("BEGIN")
          let rows = try scene.person.rows(
            "SELECT code FROM authcore.recover(1, 'alice', '\(code)', '\(JudgingScene.setting)', sha256('\(proof)'))")
          #expect(rows == [[learned]])
          try scene.person.sql(isCommitted ? "COMMIT" : "ROLLBACK")
          #expect(try scene.counted("alice") == (isCommitted ? committed : 0))
        }
      }
    }

    @Test("a better hash is taken after the whole login alone, at a higher cost alone, and an event says so")
    func betterHash() throws {
      let scene = try JudgingScene()
      _ = try scene.ask(.login, .betterHash, isCommitted: true)
      _ = try scene.ask(.reauthentication, .betterHash, isCommitted: true)
      #expect(try scene.setting() == JudgingScene.setting)
      for (offered, isTaken) in [
        (JudgingScene.setting.dropLast(2) + "b.", false),
        (PasswordCost.standard.prefix + "bbbbbbbbbbbbbbbbbbbbb.", true),
        (PasswordCost.least.prefix + "ccccccccccccccccccccc.", false),
      ] {
        let before = try scene.setting()
        let ticket = scene.nextTicket()
        try scene.forget()
        #expect(try scene.countLogin(ticket, code: scene.code()) == "hear")
        #expect(try scene.judgeLogin(ticket, code: scene.code(), better: String(offered)) == "ok")
        #expect(try scene.setting() == (isTaken ? String(offered) : before))
      }
      let events = try scene.database.superuser {
        try $0.rows("SELECT actor FROM authcore.events WHERE account = 1 AND name = 'authn_password_rehash'")
      }
      #expect(events == [["1"]])
    }
  }
}

/// Alice with a second step and two sessions, and bob with one; the server's clock stands still.
final class JudgingScene {
  static let setting = PasswordCost.least.prefix + "aaaaaaaaaaaaaaaaaaaaa."
  private static let now: Int64 = 1_800_000_000
  private static let secret = "12345678901234567890"

  let database: TestDatabase
  let person: ServerConnection
  private var tickets = 0
  private var present = JudgingScene.setting

  init() throws {
    database = try Databases.shared.make()
    try database.freeze(at: Self.now * 1_000_000_000)
    person = try Databases.connect(database.server.address(database.name, user: "person"))
    for (name, proof) in [("alice", "right"), ("bob", "bobs")] {
      _ = try person.rows(
        "SELECT * FROM authcore.register(1, '\(name)', '\(name)', '\(Self.setting)', sha256('\(proof)'))")
    }
    try start()
  }

  func nextTicket() -> String {
    tickets += 1
    return String(String(repeating: "0", count: 32).dropLast(String(tickets).count) + String(tickets))
  }

  /// The code of alice's app now, or later.
  func code(after seconds: Int64 = 0) -> String {
    String(decoding: TOTP(secret: Array(Self.secret.utf8)).code(at: (Self.now + seconds) / 30), as: UTF8.self)
  }

  /// Begins anew: nothing counted, no code used, and the sessions are fresh.
  func start() throws {
    try database.superuser {
      try $0.sql(
        """
        SET search_path = authcore;
        DELETE FROM guesses; DELETE FROM other_tokens; DELETE FROM sessions; DELETE FROM two_steps; DELETE FROM codes;
        UPDATE accounts SET guesses = 0, failures = 0, attempts = 0, wait_until = NULL, setting = '\(Self.setting)',
          verifier = sha256(CASE name WHEN 'alice' THEN 'right'::bytea ELSE 'bobs' END);
        """)
    }
    for (name, proof, token) in [("alice", "right", "alice"), ("alice", "right", "other"), ("bob", "bobs", "bob")] {
      let ticket = nextTicket()
      _ = try person.rows(
        "SELECT * FROM authcore.start_login(1, '\\x\(ticket)', '\(name)', NULL, '\(Self.setting)', sha256('\(proof)'), NULL, false)"
      )
      let rows = try person.rows(
        "SELECT code FROM authcore.finish_login(1, '\\x\(ticket)', '\(proof)', sha256('\(token)'), NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)"
      )
      guard rows == [["ok"]] else { throw BackendError.credentialsNotAccepted }
    }
    try database.superuser {
      try $0.sql(
        """
        INSERT INTO authcore.two_steps VALUES (1, '\(Self.secret)', \(Self.now / 30 - 2), 0);
        INSERT INTO authcore.codes(account, code_hash) VALUES (1, sha256('recovery'));
        """)
    }
  }

  /// Nothing is counted any more, and the code of now opens again.
  func forget() throws {
    try database.superuser {
      try $0.sql(
        """
        UPDATE authcore.accounts SET guesses = 0, failures = 0, attempts = 0, wait_until = NULL;
        UPDATE authcore.two_steps SET last_step = \(Self.now / 30 - 2);
        """)
    }
  }

  /// One cell of the table: a guess is counted and judged.
  func ask(
    _ judge: PostgresTests.JudgingTests.Judge, _ input: PostgresTests.JudgingTests.Input, isRight: Bool = true,
    isCommitted: Bool
  ) throws -> (learned: String, counted: Int) {
    try start()
    let ticket = nextTicket()
    guard try count(judge, input, ticket, isRight: isRight) == "hear" else { return ("not heard", -1) }
    if input == .settingChanged { try changeSetting() }
    let learned = try judged(judge, input, ticket, isRight: isRight, isCommitted: isCommitted)
    // The ticket of a foreign guess is counted for bob where the judge wants a session.
    let isBobs = input == .foreignTicket && judge != .login && judge != .twoStepEnd
    return (learned, try counted(isBobs ? "bob" : "alice"))
  }

  /// Counts a guess for a judge.
  func count(
    _ judge: PostgresTests.JudgingTests.Judge, _ input: PostgresTests.JudgingTests.Input, _ ticket: String,
    isRight: Bool
  ) throws -> String {
    let isForeign = input == .foreignTicket
    let code = code(for: input, isRight: isRight)
    let codeHash = code.map { "sha256('\($0)')" } ?? "NULL"
    let proof = proof(input, isRight: isRight, isBobs: judge == .reauthentication || judge == .passwordChange)
    switch judge {
    // A guess that was counted in a session is foreign to a login.
    case .login where !isForeign:
      return try one(
        "start_login(1, '\\x\(ticket)', 'alice', NULL, '\(Self.setting)', sha256('\(proof)'), \(codeHash), false)")
    case .login, .reauthentication, .passwordChange:
      let token = isForeign && judge != .login ? "bob" : "alice"
      // A password is changed without a code.
      let hash = judge == .passwordChange && input != .wrongCode && input != .rightCode ? "NULL" : codeHash
      return try one(
        "start_reauthentication(1, '\\x\(ticket)', sha256('\(token)'), '\(Self.setting)', sha256('\(proof)'), \(hash), false)"
      )
    case .twoStepEnd:
      return try one(
        "start_two_step_end(1, '\\x\(ticket)', sha256('\(isForeign ? "other" : "alice")'), sha256('\(code ?? "")'), false)"
      )
    }
  }

  /// Judges a guess; the code of the answer, or the SQLSTATE.
  func judged(
    _ judge: PostgresTests.JudgingTests.Judge, _ input: PostgresTests.JudgingTests.Input, _ ticket: String,
    isRight: Bool, isCommitted: Bool, token: String = "alice"
  ) throws -> String {
    let proof = proof(input, isRight: isRight, isBobs: judge == .reauthentication || judge == .passwordChange)
    let code = code(for: input, isRight: isRight)
    let codeText = code.map { "'\($0)'" } ?? "NULL"
    let newToken = judge == .login && input == .wrongToken ? "'short'" : "sha256('t\(ticket)')"
    let token = "sha256('\(input == .wrongToken ? "nobody" : token)')"
    let better =
      input == .betterHash ? "'\(PasswordCost.standard.prefix)bbbbbbbbbbbbbbbbbbbbb.', sha256('other')" : "NULL, NULL"
    let call =
      switch judge {
      case .login:
        "finish_login(1, '\\x\(ticket)', '\(proof)', \(newToken), NULL, NULL, NULL, \(better), NULL, NULL, NULL, \(codeText))"
      case .reauthentication:
        "finish_reauthentication(1, '\\x\(ticket)', \(token), '\(proof)', \(newToken), NULL, NULL, \(better), \(codeText))"
      case .passwordChange:
        "finish_password_change(1, '\\x\(ticket)', \(token), '\(proof)', \(newToken), '\(Self.setting.dropLast(2))z.', sha256('new'))"
      case .twoStepEnd: "finish_two_step_end(1, '\\x\(ticket)', \(token), '\(code ?? "")')"
      }
    try person.sql("BEGIN")
    defer { try? person.sql("ROLLBACK") }
    let answer = try one(call)
    try person.sql(isCommitted ? "COMMIT" : "ROLLBACK")
    return answer
  }

  func countLogin(_ ticket: String, code: String?) throws -> String {
    try one(
      "start_login(1, '\\x\(ticket)', 'alice', NULL, '\(present)', sha256('right'), \(code.map { "sha256('\($0)')" } ?? "NULL"), false)"
    )
  }

  func judgeLogin(_ ticket: String, code: String?, better: String? = nil) throws -> String {
    let answer = try one(
      "finish_login(1, '\\x\(ticket)', 'right', sha256('t\(ticket)'), NULL, NULL, NULL, \(better.map { "'\($0)', sha256('right')" } ?? "NULL, NULL"), NULL, NULL, NULL, \(code.map { "'\($0)'" } ?? "NULL"))"
    )
    present = try setting()
    return answer
  }

  /// Another setting of the same password.
  func changeSetting() throws {
    try database.superuser { try $0.sql("UPDATE authcore.accounts SET setting = '\(Self.setting.dropLast(2))d.'") }
  }

  func restoreSetting() throws {
    try database.superuser { try $0.sql("UPDATE authcore.accounts SET setting = '\(Self.setting)'") }
  }

  func setting() throws -> String {
    try database.superuser { try $0.rows("SELECT setting FROM authcore.accounts WHERE id = 1") }.first?[0] ?? ""
  }

  func counted(_ name: String) throws -> Int {
    let rows = try database.superuser {
      try $0.rows("SELECT guesses FROM authcore.accounts WHERE name = '\(name)'")
    }
    return rows.first?[0].flatMap { Int($0) } ?? -1
  }

  private func code(for input: PostgresTests.JudgingTests.Input, isRight: Bool) -> String? {
    switch input {
    case .noCode, .betterHash: nil
    case .wrongCode: "000000"
    case .rightCode, .wrongPassword, .foreignTicket, .wrongToken, .settingChanged: isRight ? code() : "000000"
    }
  }

  private func proof(_ input: PostgresTests.JudgingTests.Input, isRight: Bool, isBobs: Bool) -> String {
    switch input {
    case .wrongPassword: "wrong"
    case .foreignTicket where !isRight, .wrongToken where !isRight, .settingChanged where !isRight: "wrong"
    case .foreignTicket where isBobs: "bobs"
    case _: "right"
    }
  }

  private func one(_ call: String) throws -> String {
    do throws(ServerFault) {
      let rows = try person.run("SELECT code FROM authcore.\(call)", [], until: .now + .seconds(60))
      return rows.first?[0] ?? "nothing"
    } catch {
      guard case .refused(let state, _) = error else { throw error }
      return state
    }
  }
}
