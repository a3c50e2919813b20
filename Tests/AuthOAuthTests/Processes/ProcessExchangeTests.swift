import Foundation
import Programs
import Testing

/// Processes that share one session at a server whose refresh tokens work once.
@Suite(.serialized, .enabled("needs glewlwyd (apt install glewlwyd)") { ProviderServer.isHere })
struct ProcessExchangeTests {
  private let processes = Effort.isComplete ? 16 : 6

  private func rounds(_ sample: Int, _ complete: Int) -> Int {
    Effort.number("EXCHANGE_ROUNDS") ?? (Effort.isComplete ? complete : sample)
  }

  @Test("processes whose access token has ended ask once, and all get the new one")
  func once() async throws {
    let server = try ProviderServer()
    var known = try server.logIn()
    try await server.proxy("reset")
    let rounds = rounds(4, 40)
    for round in 1...rounds {
      let started = try (1...processes).map { _ in try server.start("lend", known) }
      let ends = started.map { $0.end() }
      #expect(ends.allSatisfy { $0.status == 0 && $0.text == ends[0].text && $0.text != known }, "\(round): \(ends)")
      known = ends[0].text
    }
    let counts = try await server.proxy("stats")
    #expect(counts["refresh"] == rounds && counts["ok"] == rounds)
  }

  @Test("a process that is killed at any moment loses no session")
  func killed() async throws {
    let server = try ProviderServer()
    var known = try server.logIn()
    try await server.proxy("set?before=20&after=20")
    for round in 1...rounds(8, 60) {
      let started = try (1...4).map { _ in try server.start("lend", known) }
      // Not to order anything: every moment is a good one.
      usleep(UInt32.random(in: 0...120_000))
      let victim = started.randomElement()
      if let victim { kill(victim.child.id, SIGKILL) }
      let ends = started.map { $0.end() }
      #expect(ends.allSatisfy { $0.status == 0 || $0.status == -SIGKILL }, "\(round): \(ends)")
      let next = try server.start("lend", known).end()
      try #require(next.status == 0, "round \(round): \(next)")
      known = next.text
    }
    let counts = try await server.proxy("stats")
    #expect(counts["bad"] == 0)
  }

  @Test("a stopped process makes the others give up with its id, and loses nothing when it continues")
  func stopped() async throws {
    let server = try ProviderServer()
    let known = try server.logIn()
    try await server.proxy("set?before=600000")
    try await server.proxy("reset")
    let stopped = try server.start("lend", known)
    while try await server.proxy("stats")["refresh"] == 0 {}
    kill(stopped.child.id, SIGSTOP)
    let waiter = try server.start("lend", known, "500").end()
    #expect(waiter.status == 3 && waiter.text.contains("Process \(stopped.child.id) "), "\(waiter)")
    let counts = try await server.proxy("stats")
    #expect(counts["refresh"] == 1)
    kill(stopped.child.id, SIGCONT)
    kill(stopped.child.id, SIGKILL)
    _ = stopped.end()
  }

  @Test("with the server down, those who wait share the failure, and nothing is lost")
  func down() async throws {
    let server = try ProviderServer()
    let known = try server.logIn()
    try await server.proxy("set?mode=hold")
    try await server.proxy("reset")
    let started = try (1...processes).map { _ in try server.start("lend", known) }
    // Whoever starts after the failure asks the server again, so all wait before it fails.
    while !started.allSatisfy(\.hasExchangeFileOpen) {}
    try await server.proxy("set?mode=refuse")
    let ends = started.map { $0.end() }
    #expect(ends.allSatisfy { $0.status == 3 }, "\(ends)")
    #expect(try await server.proxy("set?mode=pass")["refresh"] ?? 0 <= 2)
    let next = try server.start("lend", known).end()
    #expect(next.status == 0 && next.text != known)
  }

  @Test(
    "a process that is killed with its request loses only what the server answered, and says so",
    arguments: [true, false])
  func killedTogether(isAnswered: Bool) async throws {
    let server = try ProviderServer()
    let known = try server.logIn()
    try await server.proxy(isAnswered ? "set?after=600000" : "set?before=600000")
    try await server.proxy("reset")
    let victim = try server.start("lend", known)
    while try await server.proxy("stats")[isAnswered ? "ok" : "refresh"] == 0 {}
    let id = victim.child.id
    let curl = try String(contentsOfFile: "/proc/\(id)/task/\(id)/children", encoding: .utf8)
    kill(id, SIGKILL)
    for word in curl.split(separator: " ") { kill(pid_t(word) ?? id, SIGKILL) }
    _ = victim.end()
    try await server.proxy("set?before=0&after=0")
    let next = try server.start("lend", known).end()
    if isAnswered {
      #expect(next.status == 4 && next.text.contains("renewed the session"), "\(next)")
    } else {
      #expect(next.status == 0 && next.text != known, "\(next)")
    }
  }

  @Test("a logout among renewals leaves no session")
  func logout() async throws {
    let server = try ProviderServer()
    for _ in 1...rounds(2, 10) {
      let known = try server.logIn()
      let started = try (1...4).map { _ in try server.start("lend", known) }
      let logout = try server.start("logout")
      for process in started { _ = process.end() }
      #expect(logout.end().status == 0)
      #expect(try server.start("lend").end().status == 4)
    }
  }
}
