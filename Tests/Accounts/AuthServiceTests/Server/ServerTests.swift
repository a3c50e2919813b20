import AuthAccounts
import AuthCore
import Foundation
import Glibc
import Programs
import Services
import Terminals
import Testing

@testable import AuthService

@Suite("The service", .timeLimit(.minutes(10)))
struct ServerTests {
  @Test("a client of the socket is not the owner of the database, and the log has the refusal")
  func members() throws {
    let service = try RunningService()
    let client = try service.client()
    try client.send(Operations.resetPasswordAsOwner(Username("alice")))
    #expect(try client.refusal()?.code == "not_database_owner")
    #expect(service.logs("reason=not_database_owner operation=resetPasswordAsOwner uid=\(getuid())"))
  }

  @Test(
    "a directory of another user is not changed, and the hint names the user to run as", .enabled(if: geteuid() == 0))
  func otherUser() async throws {
    let folder = ShortFolder()
    #expect(mkdir(folder.path + "/other", 0o700) == 0 && chown(folder.path + "/other", 12_345, 0) == 0)
    try await bash(
      "echo '\(RunningService.password)' | auth-service schema install --database \(folder.path)/other \\"
        + "\n--first-administrator zoe --password-stdin", exits: 3, printing: "runuser -u auth-cli")
  }

  @Test("a socket that another user placed there is not used", .enabled(if: geteuid() == 0))
  func placed() async throws {
    let service = try RunningService()
    service.end()
    let listener = boundSocket(at: service.socket, SOCK_STREAM)
    defer { close(listener) }
    #expect(chown(service.socket, 12_345, 12_345) == 0)
    try await bash(
      "auth-service run --database \(service.data) --socket \(service.socket)", exits: 3,
      printing: "something else is there")
    #expect(access(service.socket, F_OK) == 0)
  }

  @Test("other processes cannot read its memory, and it leaves no core")
  func memory() throws {
    let service = try RunningService()
    var status = stat()
    // The files of a process that is not dumpable belong to root, whoever runs it; as root, its
    // limits show it.
    #expect(stat("/proc/\(service.pid)/mem", &status) == 0 && status.st_uid == 0)
    let limits = try String(contentsOfFile: "/proc/\(service.pid)/limits", encoding: .utf8)
    let cores = try #require(limits.split(separator: "\n").first { $0.hasPrefix("Max core file size") })
    #expect(cores.split(separator: " ").filter { $0 == "0" }.count == 2)
  }

  @Test(
    "a signal to stop lets running requests finish, and clients see the end of the connection",
    arguments: [SIGTERM, SIGINT])
  func stops(_ signal: Int32) throws {
    let service = try RunningService()
    let client = try service.client()
    let token = try client.logIn("alice")
    // The terminal in which it was started may go away.
    kill(service.pid, SIGHUP)
    for number in 0..<8 { try client.send(Operations.pay(try PaymentOrder("1", key: "k\(number)"), token)) }
    // The first answer shows that the others were read or will not be.
    _ = try client.answer().get()
    #expect(service.end(signal) == .exited(0))
    #expect(service.logs("info stopped pid=\(service.pid) finished=yes"))
    var answered = 1
    while let frame = try client.next() {
      switch frame {
      case .response: answered += 1
      case .failure(_, _, let error): #expect(error.code == "service_stopping")
      case .hello, .changed: Issue.record("\(frame)")
      }
    }
    try service.start()
    // The opening credit is one too.
    #expect(try service.client().receipts(token).count == answered + 1)
  }

  @Test("after kill -9 at any moment, each payment with a key is made once")
  func killed() throws {
    let service = try RunningService()
    var client = try service.client()
    let token = try client.logIn("alice")
    for round in 0..<10 {
      let order = try PaymentOrder("1", key: "round\(round)")
      try client.send(Operations.pay(order, token))
      service.end(SIGKILL)
      // Whatever was lost, the same key does not pay twice.
      try service.start()
      client = try service.client()
      for _ in 0..<2 { _ = try client.pay(order, token) }
    }
    #expect(try client.receipts(token).count == 11)
  }
}
