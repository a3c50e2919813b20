import AuthAccounts
import AuthCore
import Foundation
import Glibc
import Services
import Testing

@testable import AuthServiceProgram

@Suite("Operators of the service", .timeLimit(.minutes(10)))
struct OperatorTests {
  private func run(_ service: RunningService, _ command: String, exits status: Int32 = 0) async throws -> String {
    try await bash("auth-service \(command)", ["AUTH_SERVICE_OPERATORS": service.operators], exits: status)
  }

  @Test(
    "the operators' socket is for root and the service alone, and a member of the group is kept out",
    .enabled(if: SetUser.isPossible))
  func socket() async throws {
    let service = try RunningService()
    var status = stat()
    #expect(stat(service.operators, &status) == 0 && status.st_mode & 0o7777 == 0o600)
    try await bash(
      "setpriv --reuid=12345 --regid=0 --clear-groups auth-service-least-cost health --operators \(service.operators)",
      exits: 3, printing: "Run this as root")
  }

  @Test("the socket for members performs no request of an operator")
  func members() throws {
    let service = try RunningService()
    let bob = try service.client().logIn("bob")
    for request in OperatorRequest.allCases {
      let client = try service.client()
      let words = [request.rawValue, request.isAboutUser ? "bob" : "0", ""].joined(separator: "\0")
      try client.send(Frames.framed([OperatorChannel.Kind.request.rawValue] + words.utf8))
      #expect(try client.failure(Frames.unnumbered).code == "message_invalid", "\(request)")
    }
    #expect(try service.client().lookUp(bob) != nil && !service.log.contains(" operator "))
  }

  @Test("a backup touches no other file, and refuses a link and the name of standard output")
  func otherFiles() async throws {
    let service = try RunningService()
    let file = service.folder + "/backup.db"
    try "mine".write(toFile: file + ".new", atomically: false, encoding: .utf8)
    #expect(try await run(service, "backup \(file)").hasPrefix("Copied "))
    #expect(try String(contentsOfFile: file + ".new", encoding: .utf8) == "mine")
    let names = try FileManager.default.contentsOfDirectory(atPath: service.folder)
    #expect(names.filter { $0.hasPrefix("backup.db") }.sorted() == ["backup.db", "backup.db.new"])
    #expect(symlink(service.folder + "/elsewhere", service.folder + "/link") == 0)
    for (name, status) in [(service.folder + "/link", 1), ("-", 2)] as [(String, Int32)] {
      #expect(try await run(service, "backup \(name)", exits: status).contains("othing was changed"))
    }
    #expect(access(service.folder + "/elsewhere", F_OK) != 0)
    #expect(access("-", F_OK) != 0)
  }

  @Test("an unfinished copy of a service that was killed is removed at the next start")
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
    #expect(try await run(service, "backup \(service.folder)/backup.db").hasPrefix("Copied "))
    let left = try FileManager.default.contentsOfDirectory(atPath: service.data).filter { $0.contains("copy") }
    #expect(left.isEmpty)
  }

  @Test("health does not wait for a service that hangs")
  func hanging() async throws {
    let service = try RunningService()
    kill(service.pid, SIGSTOP)
    defer { kill(service.pid, SIGCONT) }
    let text = try await run(service, "health --json", exits: 3)
    #expect(text.contains("did not answer") && text.contains("\"healthy\":false"), "\(text)")
  }

  @Test(
    "health and the metrics say that the disk is full, and that it no longer is",
    .enabled("needs root, to mount a small disk") { SmallDisk.isPossible })
  func fullDisk() async throws {
    let service = try RunningService()
    service.end()
    let before = service.folder + "/before"
    try #require(rename(service.data, before) == 0)
    let disk = try SmallDisk(at: service.data, kilobytes: 4096)
    try await bash("cp -a '\(before)/.' '\(service.data)'", [:], exits: 0)
    try service.start()
    #expect(try await run(service, "health").contains("Healthy."))
    disk.fill()
    let full = try await run(service, "health --json", exits: 1)
    #expect(full.contains("\"healthy\":false") && full.contains("\"database_fault\":\"disk_full\""), "\(full)")
    #expect(try await run(service, "metrics").contains("auth_service_database_up 0"))
    disk.free()
    #expect(try await run(service, "health").contains("Healthy."))
    #expect(try await run(service, "metrics").contains("auth_service_database_up 1"))
    service.end()
  }

  @Test("health answers while every thread waits for the database")
  func busy() async throws {
    let service = try RunningService(options: ["--hash-threads", "1"])
    let clients = try (0..<16).map { _ in try service.client() }
    for client in clients { try client.send(ServiceClient.login("bob")) }
    #expect(try await run(service, "health").contains("Healthy."))
    for client in clients { _ = try client.answer().get() }
  }

  @Test("clients that have all connections leave descriptors for the operators and for the database")
  func reserve() async throws {
    let service = try RunningService(
      options: ["--database-threads", "8"], program: ["prlimit", "--nofile=120", RunningService.executable])
    var clients: [ServiceClient] = []
    while let client = try? service.client() { clients.append(client) }
    #expect((1..<60).contains(clients.count))
    // Each of them may use a connection to the database.
    for client in clients { try client.send(Operations.lookUp(ServiceClient.token())) }
    for client in clients { _ = try client.answer().get() }
    // The request of health has the same user as the clients, and so no place.
    let health = try await run(service, "health --json", exits: 1)
    #expect(health.contains("\"database_fault\":null,\"socket_fault\":\"service_busy\""), "\(health)")
    #expect(try await run(service, "backup \(service.folder)/backup.db").hasPrefix("Copied "))
  }

  @Test("without a descriptor for an operator, the service waits and does not spin")
  func noDescriptor() async throws {
    let service = try RunningService()
    let limit = "prlimit --pid \(service.pid)"
    try await bash("\(limit) --nofile=3:")
    let operators = try #require(connectedSocket(to: service.operators))
    defer { close(operators) }
    let before = try service.processorTime()
    var event = pollfd(fd: operators, events: Int16(POLLIN), revents: 0)
    #expect(poll(&event, 1, 1000) == 0)
    #expect(try service.processorTime() - before < .milliseconds(100))
    try await bash("\(limit) --nofile=$(\(limit) --nofile --noheadings --output=HARD):")
    #expect(try await run(service, "health").hasPrefix("Healthy."))
  }

  @Test("the running service performs schema check, for its own database only")
  func check() async throws {
    let (service, other) = (try RunningService(), try RunningService())
    let command = "schema check --database \(service.data)"
    #expect(try await run(service, command) == "The database is in order.\n")
    #expect(try await run(other, command, exits: 3).contains("has another database"))
    other.end()
    let unreachable = try await run(other, command, exits: 3)
    #expect(unreachable.contains("is in use by another process") && unreachable.contains("with --operators"))
    service.end()
    #expect(try await run(service, command) == "The database is in order.\n")
  }
}
