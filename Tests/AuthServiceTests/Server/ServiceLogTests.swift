import Foundation
import Testing

@testable import AuthService

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

  @Test("a field shows no password of an address")
  func secrets() throws {
    let pipe = Pipe()
    let log = ServiceLog(descriptor: pipe.fileHandleForWriting.fileDescriptor)
    log.write(.err, "failed", ["reason": "no answer from postgresql://u:pw@h/x"])
    try pipe.fileHandleForWriting.close()
    let text = String(decoding: try #require(try pipe.fileHandleForReading.readToEnd()), as: UTF8.self)
    #expect(text.contains("postgresql://…@h/x") && !text.contains("pw"), "\(text)")
  }
}
