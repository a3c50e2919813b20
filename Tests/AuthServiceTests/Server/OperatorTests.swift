import AuthBackend
import AuthCore
import AuthSQLite
import Foundation
import Glibc
import Programs
import Testing

@testable import AuthService

@Suite("Operators of the service")
struct OperatorTests {
  private func run(_ service: RunningService, _ words: [String], status: Int32 = 0) async throws -> String {
    let outcome = try await service.run(words + ["--operators", service.folder + "/operators.sock"])
    #expect(outcome.ending == .exited(status), "\(words): \(outcome.text)")
    return outcome.text
  }

  @Test("health and metrics answer, as text and for programs")
  func health() async throws {
    let service = try RunningService()
    _ = try service.client().logIn("alice")
    #expect(try await run(service, ["health"]).contains("The database answers."))
    #expect(try await run(service, ["health", "--json"]).contains("\"healthy\":true"))
    let metrics = try await run(service, ["metrics"])
    #expect(metrics.contains("auth_service_passwords_total 1\n") && metrics.contains("auth_service_database_up 1\n"))
  }

  @Test("an operator ends sessions, resets a password and turns a second step off, and it is logged")
  func users() async throws {
    let service = try RunningService()
    let client = try service.client()
    let token = try client.logIn("bob")
    #expect(try await run(service, ["sessions", "end", "bob"]) == "Ended 1 session.\n")
    #expect(try client.lookUp(token) == nil, "the session goes on")
    #expect(try await run(service, ["reset-password", "bob"]).hasPrefix("One-time code for bob: "))
    let page = Page(within: .all, before: nil, limit: 5)
    let answer = try client.ask(.events(.everyone, page, try client.logIn("alice")))
    guard case .events(let events) = answer else { throw WireFault.invalid("events") }
    #expect(events.contains { $0.detail == "reset by an operator of the service" }, "\(events)")
    #expect(try await run(service, ["two-step", "off", "bob"], status: 1).contains("auth-service: "))
    _ = try await run(service, ["sessions", "end", "nobody"], status: 1)
    #expect(service.log.contains("<5>operator command=\"sessions end\""))
    #expect(!service.log.contains("bob"))
  }

  @Test(
    "the operators' socket is for root and the service alone, and a member of the group is kept out",
    .enabled(if: SetUser.isPossible))
  func socket() async throws {
    let service = try RunningService()
    var status = stat()
    #expect(stat(service.folder + "/operators.sock", &status) == 0 && status.st_mode & 0o7777 == 0o600)
    let outcome = try await service.run(
      [
        "--reuid=12345", "--regid=0", "--clear-groups", RunningService.executable, "health", "--operators",
        service.folder + "/operators.sock",
      ], program: "/usr/bin/setpriv")
    #expect(outcome.ending == .exited(3) && outcome.text.contains("Run this as root"), "\(outcome.text)")
  }

  @Test("a backup of the running service is a whole database, and is restored with after-restore")
  func backup() async throws {
    let service = try RunningService()
    let client = try service.client()
    let token = try client.logIn("alice")
    let file = service.folder + "/backup.db"
    #expect(try await run(service, ["backup", file]).hasPrefix("Copied "))
    var status = stat()
    #expect(stat(file, &status) == 0 && status.st_mode & 0o7777 == 0o600)
    #expect(try await run(service, ["backup", file], status: 1).contains("exists already"))
    let order = PaymentOrder(amount: try Amount("5"), payee: try Username("bob"), key: nil)
    _ = try client.ask(.pay(order, token))
    service.end()
    try FileManager.default.removeItem(atPath: service.data)
    try FileManager.default.createDirectory(
      atPath: service.data, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    try FileManager.default.moveItem(atPath: file, toPath: service.data + "/authority.db")
    try service.start()
    #expect(try service.client().lookUp(token) != nil, "the backup has no session")
    service.end()
    let outcome = try await service.run(["after-restore", "--database", service.data])
    #expect(
      outcome.text.contains("Sessions ended: 1.") && outcome.text.contains("administrators: alice"), "\(outcome.text)")
    try service.start()
    #expect(try service.client().lookUp(token) == nil, "a session of the backup goes on")
  }

  @Test("a backup touches no other file, and refuses a link and the name of standard output")
  func otherFiles() async throws {
    let service = try RunningService()
    let file = service.folder + "/backup.db"
    try "mine".write(toFile: file + ".new", atomically: false, encoding: .utf8)
    #expect(try await run(service, ["backup", file]).hasPrefix("Copied "))
    #expect(try String(contentsOfFile: file + ".new", encoding: .utf8) == "mine")
    let names = try FileManager.default.contentsOfDirectory(atPath: service.folder)
    #expect(names.filter { $0.hasPrefix("backup.db") }.sorted() == ["backup.db", "backup.db.new"])
    #expect(symlink(service.folder + "/elsewhere", service.folder + "/link") == 0)
    for (words, status) in [(["backup", service.folder + "/link"], 1), (["backup", "-"], 2)] as [([String], Int32)] {
      #expect(try await run(service, words, status: status).contains("othing was changed"))
    }
    #expect(access(service.folder + "/elsewhere", F_OK) != 0)
    #expect(access("-", F_OK) != 0)
  }

  @Test("what a service that was killed left of a copy is removed at the next start")
  func leftovers() async throws {
    let service = try RunningService()
    service.end(SIGKILL)
    let folder = service.data + "/.auth-service-copy-abcdef"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    for name in ["copy.db", "copy.db-journal"] {
      try "accounts".write(toFile: "\(folder)/\(name)", atomically: false, encoding: .utf8)
    }
    try service.start()
    #expect(access(folder, F_OK) != 0)
    #expect(try await run(service, ["backup", service.folder + "/backup.db"]).hasPrefix("Copied "))
    let left = try FileManager.default.contentsOfDirectory(atPath: service.data).filter { $0.contains("copy") }
    #expect(left.isEmpty)
  }

  @Test("health gives up a service that hangs")
  func hanging() async throws {
    let service = try RunningService()
    kill(service.pid, SIGSTOP)
    defer { kill(service.pid, SIGCONT) }
    let began = ContinuousClock.now
    let text = try await run(service, ["health", "--json"], status: 3)
    #expect(text.contains("did not answer") && text.contains("\"healthy\":false"), "\(text)")
    #expect(ContinuousClock.now - began < .seconds(50))
  }

  @Test("without a service, health and metrics print documents that say so")
  func noService() async throws {
    let service = try RunningService()
    service.end()
    let health = try await service.run(["health", "--json", "--operators", service.folder + "/operators.sock"])
    #expect(health.ending == .exited(3) && health.text.contains("\"healthy\":false"), "\(health.text)")
    let metrics = try await service.run(["metrics", "--operators", service.folder + "/operators.sock"])
    #expect(metrics.ending == .exited(3) && metrics.text.contains("auth_service_up 0\n"), "\(metrics.text)")
  }

  @Test("archived events are in the file, and no longer in the database")
  func archive() async throws {
    let service = try RunningService()
    let client = try service.client()
    for _ in 0..<5 { _ = try client.logIn("alice") }
    let file = service.folder + "/events.jsonl"
    let none = try await run(service, ["events", "archive", "--before", "999999999w", file + "-none"])
    #expect(none == "There are no events before that time.\n")
    let tomorrow = "2999-01-01"
    #expect(try await run(service, ["events", "archive", "--before", tomorrow, file]).hasPrefix("Archived "))
    let lines = try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n")
    #expect(lines.count { $0.contains("\"name\":\"authn_login_success\"") } == 5, "\(lines.first ?? "")")
    let token = try client.logIn("alice")
    guard case .events(let left) = try client.ask(.events(.own, Page(within: .all, before: nil, limit: 50), token))
    else {
      Issue.record("no events")
      return
    }
    #expect(left.count == 1)
  }

  @Test("health answers while every thread waits for the database")
  func busy() async throws {
    let service = try RunningService(options: ["--hash-threads", "1"])
    let client = try service.client()
    for _ in 0..<16 { try client.send(ServiceClient.login("bob")) }
    #expect(try await run(service, ["health"]).contains("The database answers."))
    for _ in 0..<16 { _ = try client.answer().get() }
  }
}
