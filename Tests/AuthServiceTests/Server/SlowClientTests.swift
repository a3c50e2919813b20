import AuthBackend
import AuthCore
import AuthSQLite
import Foundation
import Glibc
import Testing

@testable import AuthService
@testable import AuthServiceProgram

/// In this process, where the times that the service waits are short.
@Suite("Clients that are slow")
struct SlowClientTests {
  private final class Server {
    let folder: String
    let socket: ListeningSocket
    let server: AuthServer
    var path: String { folder + "/people.sock" }

    init(_ change: (inout ServiceLimits) -> Void) throws {
      var name = Array("/tmp/server-XXXXXX".utf8CString)
      try #require(mkdtemp(&name) != nil)
      folder = String(decoding: name.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
      let authority = LocalAuthority(directory: folder + "/data", cost: .least)
      for user in ["alice", "bob"] {
        _ = try authority.register(username: user, password: Secret(RunningService.password), displayName: nil)
      }
      var limits = ServiceLimits(databaseThreads: 2, hashThreads: 2)
      change(&limits)
      socket = try ListeningSocket(at: folder + "/people.sock", mode: 0o600)
      server = AuthServer(
        authority.rules, identity: "0", listener: socket.descriptor, limits: limits, looksEvery: .seconds(10),
        log: ServiceLog(descriptor: open("/dev/null", O_WRONLY | O_CLOEXEC)))
      try #require(server.start())
    }

    deinit {
      _ = server.stop()
      try? FileManager.default.removeItem(atPath: folder)
    }

    var refused: [String: Int] { server.status.refused }
  }

  @Test("silence, and a message that is sent too slowly, end the connection; an idle client stays")
  func silence() throws {
    let server = try Server { $0.frameTime = .milliseconds(300) }
    let idle = try ServiceClient(server.path)
    let token = try idle.logIn("alice")
    let silent = try ServiceClient(server.path, greets: false)
    #expect(try silent.next() == nil)
    let slow = try ServiceClient(server.path)
    try slow.send(Array(try ClientFrame.request(1, .lookUp(token)).encoded().dropLast()))
    #expect(try slow.next() == nil)
    #expect(server.refused["too_slow"] == 2)
    guard case .found(.some) = try idle.ask(.lookUp(token)) else {
      Issue.record("an idle client was closed")
      return
    }
  }

  @Test("a client that reads nothing is closed, and the answers that it left are not collected without end")
  func reading() throws {
    let server = try Server { $0.frameTime = .milliseconds(300) }
    let client = try ServiceClient(server.path)
    let token = try client.logIn("alice")
    let other = try ServiceClient(server.path)
    let page = BackendRequest.events(.own, Page(within: .all, before: nil, limit: 50), token)
    for _ in 0..<100 { _ = try? other.logIn("alice") }
    // Until the service does not read any more either: both ends are full.
    var sent = 0
    while sent < 100_000, (try? client.send(page)) != nil { sent += 1 }
    #expect(sent < 100_000)
    #expect(server.refused["not_reading"] == 1)
    guard case .found(.some) = try other.ask(.lookUp(token)) else {
      Issue.record("the other client is not served")
      return
    }
  }
}
