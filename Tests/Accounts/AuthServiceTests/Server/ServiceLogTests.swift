import AuthAccounts
import AuthCore
import DatabaseFiles
import Foundation
import Programs
import Services
import Terminals
import Testing

@testable import AuthServer

@Suite(.timeLimit(.minutes(10))) struct ServiceLogTests {
  @Test("a user who is refused again and again does not hide the refusal of another one")
  func users() throws {
    let pipe = Pipe()
    let log = ServiceLog(descriptor: pipe.fileHandleForWriting.fileDescriptor)
    for _ in 0..<1000 { log.write(.notice, "refused", of: 1, ["uid": "1"]) }
    log.write(.notice, "refused", of: 2, ["uid": "2"])
    try pipe.fileHandleForWriting.close()
    let text = String(decoding: try #require(try pipe.fileHandleForReading.readToEnd()), as: UTF8.self)
    let lines = text.split(separator: "\n")
    #expect(lines.count > 10)
    #expect(try #require(lines.last).contains(#/ uid=2 omitted=\d+$/#))
  }

  @Test("what was only too busy for a member does not hide a fault")
  func faults() throws {
    let pipe = Pipe()
    let log = ServiceLog(descriptor: pipe.fileHandleForWriting.fileDescriptor)
    for _ in 0..<1000 { log.write(.warning, "failed", of: 1, ["reason": "database_busy"]) }
    log.write(.err, "failed", ["reason": "disk_full"])
    try pipe.fileHandleForWriting.close()
    let text = String(decoding: try #require(try pipe.fileHandleForReading.readToEnd()), as: UTF8.self)
    #expect(text.hasSuffix(" err failed reason=disk_full\n"), "\(text.suffix(200))")
  }

  @Test("what housekeeping cannot do is logged when it begins, and not each time that it is tried again")
  func housekeeping() throws {
    let pipe = Pipe()
    let work = try Workspace.inhabited(isShared: true).work
    let housekeeping = Housekeeping(
      work.rules, ServiceLog(descriptor: pipe.fileHandleForWriting.fileDescriptor))
    var fault: String?
    for round in 1...2 {
      #expect(!housekeeping.tidy(&fault) && fault == nil)
      try work.raw.run("ALTER TABLE events RENAME TO lost")
      for _ in 1...3 { #expect(!housekeeping.tidy(&fault) && fault != nil, "\(round)") }
      try work.raw.run("ALTER TABLE lost RENAME TO events")
    }
    try pipe.fileHandleForWriting.close()
    let text = String(decoding: try #require(try pipe.fileHandleForReading.readToEnd()), as: UTF8.self)
    let lines = text.split(separator: "\n")
    #expect(lines.count == 2)
    #expect(lines.allSatisfy { $0.contains(#/ warning failed reason=\w+ operation=housekeeping$/#) }, "\(text)")
  }

  @Test("a field shows no password of an address")
  func secrets() throws {
    let pipe = Pipe()
    let log = ServiceLog(descriptor: pipe.fileHandleForWriting.fileDescriptor)
    log.write(.err, "failed", ["reason": "no answer from postgresql://u:pw@h/x"])
    try pipe.fileHandleForWriting.close()
    let text = String(decoding: try #require(try pipe.fileHandleForReading.readToEnd()), as: UTF8.self)
    #expect(text.contains("postgresql://…@h/x") && !text.contains("pw"), "\(text)")
  }

  @Test("the reason of a failed start has the level of an error where systemd reads it")
  func failedStart() async throws {
    let folder = ShortFolder()
    let script = """
      cd '\(folder.path)' && exec 2>errors && export JOURNAL_STREAM="$(stat -c %d:%i errors)"
      '\(RunningService.executable)' run --database '\(folder.path)/nowhere'
      cat errors
      """
    let text = try await Program("bash", ["-c", script], timeLimit: .seconds(60)).run().text
    let lines = text.split(separator: "\n")
    #expect(lines.count == 2 && lines[0].hasPrefix("<3>auth-service: ") && lines[1].hasPrefix("<3>"), "\(text)")
  }

  @Test("a refusal for a missing role is logged with its operation and the account of the session")
  func refusal() throws {
    let service = try RunningService()
    let token = try service.client().logIn("bob")
    // The second connection has seen no login.
    let client = try service.client()
    try client.send(Operations.setRegistration(.open, token))
    #expect(try client.refusal()?.code == "not_permitted")
    #expect(service.logs("reason=not_permitted operation=setRegistration"))
    #expect(service.log.split(separator: "\n").contains { $0.contains("not_permitted") && $0.contains("account=bob") })
  }

  @Test("signals that mean nothing to the service do not end it", arguments: [SIGHUP, SIGUSR1, SIGUSR2, SIGALRM])
  func signals(number: Int32) throws {
    let service = try RunningService()
    kill(service.pid, number)
    _ = try service.client().logIn("bob")
    #expect(service.end() == .exited(0))
  }
}
