import Foundation
import Programs
import Testing

/// Processes that share one session at a server whose refresh tokens work once.
@Suite(.enabled(if: GlewlwydServer.isHere, GlewlwydServer.advice), .timeLimit(.minutes(30)))
struct ProcessExchangeTests {
  private let processes = Effort.isComplete ? 16 : 4

  private func rounds(_ sample: Int, _ larger: Int, _ complete: Int) -> Int {
    getenv("EXCHANGE") != nil ? complete : Effort.isComplete ? larger : sample
  }

  /// Waits until a renewal reaches the proxy, or the server has answered it.
  private func renewal(_ kind: String = "", at server: GlewlwydServer, after count: Int = 0) async throws {
    try await server.wait(for: "POST token refresh_token" + kind, after: count)
  }

  /// Starts four processes that renew the session, and waits for a random moment: after their
  /// start, after the request has reached the proxy, or after the server has answered it.
  private func startAndWait(_ known: String, at server: GlewlwydServer) async throws -> [SessionProcess] {
    let kind = ["", " 200"].randomElement() ?? ""
    let before = try await server.count("POST token refresh_token" + kind)
    let started = try (1...4).map { _ in try server.start("lend", known) }
    let waitsForServer = Bool.random()
    if waitsForServer { try await renewal(kind, at: server, after: before) }
    // Not to order anything: every moment is a good one.
    usleep(UInt32.random(in: 0...(waitsForServer ? 20_000 : 120_000)))
    return started
  }

  @Test("processes whose access token has ended ask once, and all get the new one")
  func once() async throws {
    try await GlewlwydServer.run { server in
      var known = try await server.logIn()
      let before = try await server.count("POST token refresh_token")
      let rounds = rounds(3, 12, 200)
      for round in 1...rounds {
        let started = try (1...processes).map { _ in try server.start("lend", known) }
        let ends = await started.ends()
        #expect(ends.allSatisfy { $0.status == 0 && $0.text == ends[0].text && $0.text != known }, "\(round): \(ends)")
        known = ends[0].text
      }
      #expect(try await server.count("POST token refresh_token") == before + rounds)
      #expect(try await server.count("POST token refresh_token 200") == before + rounds)
    }
  }

  @Test("a process that is killed at any moment loses no session")
  func killed() async throws {
    try await GlewlwydServer.run { server in
      var known = try await server.logIn()
      try await server.set(before: 20, after: 20)
      for round in 1...rounds(6, 40, 300) {
        let started = try await startAndWait(known, at: server)
        if let victim = started.randomElement() { kill(victim.child.id, SIGKILL) }
        let ends = await started.ends()
        #expect(ends.allSatisfy { $0.status == 0 || $0.status == -SIGKILL }, "\(round): \(ends)")
        let next = try await server.start("lend", known).end()
        try #require(next.status == 0, "round \(round): \(next)")
        known = next.text
      }
      #expect(try await server.count("POST token refresh_token 400") == 0)
    }
  }

  @Test("a stopped process makes the others give up with its id, and loses nothing when it continues")
  func stopped() async throws {
    try await GlewlwydServer.run { server in
      let known = try await server.logIn()
      let before = try await server.count("POST token refresh_token")
      try await server.set(mode: "hold")
      let stopped = try server.start("lend", known)
      try await renewal(at: server, after: before)
      kill(stopped.child.id, SIGSTOP)
      let waiter = try await server.start("lend", known, "500").end()
      #expect(waiter.status == 3 && waiter.text.contains("Process \(stopped.child.id) "), "\(waiter)")
      #expect(try await server.count("POST token refresh_token") == before + 1)
      try await server.set()
      kill(stopped.child.id, SIGCONT)
      let end = await stopped.end()
      #expect(end.status == 0 && end.text != known)
      #expect(try await server.start("lend").end().text == end.text)
    }
  }

  @Test("with the server down, those who wait share the failure, and nothing is lost")
  func down() async throws {
    try await GlewlwydServer.run { server in
      let known = try await server.logIn()
      let before = try await server.count("POST token refresh_token")
      try await server.set(mode: "hold")
      let started = try (1...processes).map { _ in try server.start("lend", known) }
      // Whoever starts after the failure asks the server again, so all wait before it fails.
      for process in started { while !process.hasExchangeFileOpen { await Task.yield() } }
      try await server.set(mode: "refuse")
      let ends = await started.ends()
      #expect(ends.allSatisfy { $0.status == 3 }, "\(ends)")
      #expect(try await server.count("POST token refresh_token") <= before + 2)
      try await server.set()
      // After a failure of the server, nobody asks it for two seconds.
      var next = try await server.start("lend", known).end()
      while next.status == 3 { next = try await server.start("lend", known).end() }
      #expect(next.status == 0 && next.text != known)
    }
  }

  @Test(
    "a process that is killed with its request loses only what the server answered, and says so",
    arguments: [true, false])
  func killedTogether(isAnswered: Bool) async throws {
    try await GlewlwydServer.run { server in
      let known = try await server.logIn()
      let kind = isAnswered ? " 200" : ""
      let before = try await server.count("POST token refresh_token" + kind)
      try await server.set(before: isAnswered ? 0 : 60_000, after: isAnswered ? 60_000 : 0)
      let victim = try server.start("lend", known)
      try await renewal(kind, at: server, after: before)
      #expect(victim.killWithRequest())
      _ = await victim.end()
      try await server.set()
      let next = try await server.start("lend", known).end()
      if isAnswered {
        #expect(next.status == 4 && next.text.contains("answer to a renewal was lost"), "\(next)")
      } else {
        #expect(next.status == 0 && next.text != known, "\(next)")
      }
    }
  }

  @Test("processes killed with their requests at any moment lose only what the server answered, and each says so")
  func killedTogetherAnywhere() async throws {
    try await GlewlwydServer.run { server in
      var known = try await server.logIn()
      try await server.set(after: 20)
      var lost = 0
      for round in 1...rounds(5, 30, 150) {
        let answered = try await server.count("POST token refresh_token 200")
        let refused = try await server.count("POST token refresh_token 400")
        let started = try await startAndWait(known, at: server)
        // Stopped first, so that the death of one leaves no other one a moment to be refused in.
        for process in started { kill(process.child.id, SIGSTOP) }
        for process in started { _ = process.killWithRequest() }
        _ = await started.ends()
        try await server.waitUntilIdle()
        let next = try await server.start("lend", known).end()
        if next.status == 0 {
          known = next.text
          #expect(try await server.count("POST token refresh_token 400") == refused)
        } else {
          #expect(next.status == 4 && next.text.contains("answer to a renewal was lost"), "\(round): \(next)")
          #expect(try await server.count("POST token refresh_token 200") == answered + 1)
          // The refusal is written down: nobody sends the dead token again.
          #expect(try await server.count("POST token refresh_token 400") == refused + 1)
          #expect(try await server.start("lend", known).end().status == 4)
          #expect(try await server.count("POST token refresh_token 400") == refused + 1)
          known = try await server.logIn()
          lost += 1
        }
      }
      print("Lost with their requests: \(lost)")
    }
  }

  @Test("a logout among renewals leaves no session")
  func logout() async throws {
    try await GlewlwydServer.run { server in
      for _ in 1...rounds(2, 8, 50) {
        let known = try await server.logIn()
        let started = try (1...4).map { _ in try server.start("lend", known) }
        let logout = try server.start("logout")
        _ = await started.ends()
        #expect(await logout.end().status == 0)
        #expect(try await server.start("lend").end().status == 4)
      }
    }
  }

  @Test("a logout while the request of a process that was killed is under way saves nothing of its answer")
  func logoutOfTheDead() async throws {
    try await GlewlwydServer.run { server in
      let known = try await server.logIn()
      let before = try await server.count("POST token refresh_token")
      try await server.set(mode: "hold")
      let victim = try server.start("lend", known)
      try await renewal(at: server, after: before)
      kill(victim.child.id, SIGKILL)
      _ = await victim.end()
      // Restoring the session would first wait until the request has given up.
      #expect(try await server.start("forget").end().status == 0)
      try await server.set()
      try await renewal(" 200", at: server, after: before)
      #expect(try await server.start("lend").end().status == 4)
      #expect(
        try FileManager.default.contentsOfDirectory(atPath: server.directory + "/sessions").sorted() == [
          "default.exchange", "default.lock",
        ])
    }
  }
}
