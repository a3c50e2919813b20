import AuthCore
import AuthCoreTesting
import ConcurrencyKit
import Foundation
import Glibc
import Programs
import Testing

@testable import AuthOAuth

/// The transport against servers that keep no rules, and with a lock and a file for the answer.
@Suite(.enabled(if: Curl.isHere, Curl.advice), .timeLimit(.minutes(10)))
final class CurlTests: Sendable {
  private let directory = FileManager.default.temporaryDirectory.appending(path: "curl-" + UUID().uuidString)

  init() throws { try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: false) }

  deinit { try? FileManager.default.removeItem(at: directory) }

  private func request(_ url: String, body: String = "a=1", recorder: ExchangeRecorder? = nil) -> OAuthRequest {
    var request = OAuthRequest(
      method: "POST", url: url, headers: ["Accept": "application/json"], body: Array(body.utf8))
    request.recorder = recorder
    return request
  }

  private func result(_ server: RawServer, _ transport: CurlTransport = CurlTransport()) async -> String {
    do throws(CurlFailure) {
      let response = try await transport.send(request(server.url))
      return "\(response.status) \(String(decoding: response.body, as: UTF8.self))"
    } catch {
      return error.description
    }
  }

  private static let cut = "The answer of the server did not arrive completely."
  private static let notHTTP = "The answer of the server is not HTTP."

  /// curl, started by a script that a test writes.
  private func script(_ lines: String) throws -> String {
    let path = directory.appending(path: "curl").path
    // Another process writes it. A child that another test starts meanwhile would hold a descriptor
    // of this one for a moment, and a program that is open for writing cannot be started.
    let writer = Program(
      "sh", ["-c", #"cat >"$0.new" && chmod 700 "$0.new" && mv "$0.new" "$0""#, path],
      input: Array("#!/bin/sh\n\(lines)\n".utf8), timeLimit: .seconds(60))
    try #require(try writer.runBlocking().ending == .exited(0))
    return path
  }

  @Test("the server gets the request as it is, whatever its body contains")
  func exact() async throws {
    let server = try RawServer(bytes: "HTTP/1.1 200 OK\r\nA: 1\r\nContent-Length: 2\r\n\r\n{}")
    for body in ["@/etc/passwd", #"a"b\c=\n&url=file:///"#, "a=ä%20{1-3}[1-2]", String(repeating: "x", count: 90_000)] {
      let response = try await CurlTransport().send(request(server.url, body: body))
      #expect(response.status == 200)
      #expect(response.headers["a"] == "1")
      let seen = try #require(server.requests.last)
      #expect(seen.hasPrefix("POST /token HTTP/1.1\r\n"))
      #expect(seen.hasSuffix("\r\n\r\n" + body))
      #expect(!seen.contains("Expect:"))
    }
  }

  @Test("secrets are in no argument; neither .curlrc nor a proxy takes part in a request to this machine")
  func environment() async throws {
    let server = try RawServer(bytes: "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}")
    let program = try script(
      """
      cd "${0%/*}"; echo "$*" >arguments
      echo 'header = "X-Config: 1"' >.curlrc
      export HOME="$PWD" CURL_HOME="$PWD" http_proxy=http://127.0.0.1:1 all_proxy=http://127.0.0.1:1
      exec curl "$@"
      """)
    let response = try await CurlTransport(program: program).send(request(server.url, body: "secret"))
    #expect(response.status == 200)
    #expect(server.requests.first?.contains("X-Config") == false)
    let arguments = try String(contentsOf: directory.appending(path: "arguments"), encoding: .utf8)
    #expect(arguments == "-q --config -\n")
  }

  @Test("^C at a terminal ends a request, unless it ends or exchanges the token of a session")
  func group() async throws {
    let program = try script(#"printf 'HTTP/1.1 200 OK\r\n\r\n%d\ncurl 0 0 000' $(ps -o pgid= -p $$)"#)
    let transport = CurlTransport(program: program)
    let groups = Locked([String: Bool]())
    let server = OAuthServer(
      issuer: "http://127.0.0.1",
      endpoints: [.deviceAuthorization, .token, .revocation, .introspection].reduce(into: [:]) {
        $0[$1] = "http://127.0.0.1/\($1.rawValue)"
      }
    ) { request in
      let group = try await transport.send(request).body
      let name =
        request.url + (String(decoding: request.body, as: UTF8.self).contains("refresh_token=") ? " refresh" : "")
      groups.withLock { $0[name] = String(decoding: group, as: UTF8.self) == "\(getpgrp())" }
      return (200, [:], Array("{}".utf8))
    }
    let authority = OAuthAuthority(server: server, clientID: "app", clock: ManualClock())
    _ = try? await authority.deviceAuthorization()
    _ = try? await authority.tokens(["grant_type": "authorization_code"])
    _ = try? await authority.tokens(["refresh_token": "r"])
    _ = try? await authority.introspect("t", "access_token")
    try await authority.end("t")
    let place = "http://127.0.0.1/"
    #expect(
      groups.withLock(\.self) == [
        place + "device_authorization_endpoint": true, place + "token_endpoint": true,
        place + "token_endpoint refresh": false, place + "introspection_endpoint": true,
        place + "revocation_endpoint": false,
      ])
  }

  @Test(
    "curl uses the certificates and the proxy of the environment, and SSL_CERT_DIR hides SSL_CERT_FILE",
    .enabled("needs openssl") { access("/usr/bin/openssl", X_OK) == 0 })
  func certificates() async throws {
    let (certificate, key) = (directory.path + "/certificate", directory.path + "/key")
    let made = try await Program(
      "openssl",
      ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=localhost", "-days", "1", "-keyout", key, "-out"]
        + [certificate, "-addext", "subjectAltName=DNS:localhost"], timeLimit: .seconds(60)
    ).run()
    try #require(made.ending == .exited(0))
    let null = open("/dev/null", O_RDONLY | O_CLOEXEC)
    defer { close(null) }
    let server = try Child(
      ["openssl", "s_server", "-www", "-accept", "127.0.0.1:0", "-cert", certificate, "-key", key], input: null)
    defer {
      kill(server.id, SIGKILL)
      server.wait()
      close(server.output)
    }
    var (said, buffer) = ("", [UInt8](repeating: 0, count: 4096))
    while said.firstMatch(of: /ACCEPT .*:\d+\n/) == nil {
      let count = read(server.output, &buffer, buffer.count)
      try #require(count > 0)
      said += String(decoding: buffer[..<count], as: UTF8.self)
    }
    let port = try #require(said.firstMatch(of: /ACCEPT .*:(\d+)\n/)?.1)
    func status(_ variables: String, _ url: String? = nil) async throws -> Int {
      let program = try script(
        """
        unset CURL_CA_BUNDLE SSL_CERT_FILE SSL_CERT_DIR no_proxy NO_PROXY
        unset https_proxy HTTPS_PROXY all_proxy ALL_PROXY
        export A=1 \(variables)
        exec curl "$@"
        """)
      let request = OAuthRequest(method: "GET", url: url ?? "https://localhost:\(port)/", headers: [:], body: [])
      return try await CurlTransport(program: program).send(request).status
    }
    #expect(try await status("SSL_CERT_FILE='\(certificate)'") == 200)
    for hidden in ["", "SSL_CERT_FILE='\(certificate)' SSL_CERT_DIR='\(directory.path)'"] {
      await #expect(throws: CurlFailure.failed(60)) { try await status(hidden) }
    }
    #expect(CurlFailure.failed(60).isUnsent)
    let proxy = try RawServer(bytes: "HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n")
    await #expect(throws: CurlFailure.self) {
      try await status("https_proxy='\(proxy.url)'", "https://id.example/token")
    }
    #expect(proxy.requests.first?.hasPrefix("CONNECT id.example:443 ") == true)
  }

  @Test(
    "of what a server answers, only a whole answer of HTTP is one",
    arguments: [
      ("HTTP/1.1 103 Early Hints\r\nA: 1\r\n\r\nHTTP/1.1 200 OK\r\n\r\n{}", "200 {}"),
      ("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 400 Bad\r\nContent-Length: 2\r\n\r\n{}", "400 {}"),
      ("HTTP/1.0 200\r\n\r\n{}", "200 {}"), ("HTTP/1.1 200 OK\n\n{}", "200 {}"), ("HTTP/1.1 204 No\r\n\r\n", "204 "),
      ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n", "200 {}"),
      ("HTTP/1.1 307 No\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n", "307 "),
      ("HTTP/1.1 200 OK\r\nContent-Length: 14\r\n\r\n{\"a\":\ncurl 0}\n", "200 {\"a\":\ncurl 0}\n"),
      ("HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{}\ncurl 0", cut),
      ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n", cut),
      ("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}", cut),
      ("HTTP/1.1 200 OK\r\nContent-Length: 9999999999999\r\n\r\n{}", "The answer of the server is too long."),
      ("", cut),
      ("SSH-2.0-OpenSSH\r\n", notHTTP), ("HTTP/1.1 099 No\r\n\r\n{}", notHTTP),
    ])
  func answers(bytes: String, outcome: String) async throws {
    let answered = await result(try RawServer(bytes: bytes))
    #expect(answered == outcome)
  }

  @Test(
    "a proxy that refuses and a certificate that has expired are no cut answer and no unknown authority",
    arguments: [
      ("curl 56 0 407", CurlFailure.proxyRefused(407)), ("curl 56 0 403", .proxyRefused(403)),
      ("curl 56 0 200", .failed(56)), ("curl 56 0 000", .failed(56)), ("curl 60 10 000", .certificateExpired),
      ("curl 60 18 000", .failed(60)), ("curl 60 20 200", .failed(60)), ("curl 63 0 000", .tooLarge),
      ("curl 0 0 00", .interrupted), ("curl 0", .interrupted),
    ])
  func causes(trailer: String, failure: CurlFailure) {
    let answer = Array("HTTP/1.1 200 OK\r\n\r\n{}\n\(trailer)".utf8)
    #expect(throws: failure) { try CurlTransport.response(recorded: answer) }
  }

  @Test("a server without https is not called one with a bad certificate")
  func plain() async throws {
    let server = try RawServer(bytes: "HTTP/1.1 400 Bad Request\r\n\r\n")
    let secure = server.url.replacingOccurrences(of: "http:", with: "https:")
    let failure = await #expect(throws: CurlFailure.self) { try await CurlTransport().send(request(secure)) }
    #expect(failure?.description == "No secure connection to the server is possible.")
  }

  @Test("of two headers with one name the first counts, and one whose name has a space is ignored")
  func headers() async throws {
    // A search for its end that goes back and forth would take half an hour.
    let value = "a" + String(repeating: " \t", count: 45_000) + "b"
    let server = try RawServer(
      bytes: "HTTP/1.1 429 Wait\r\nRetry-After: \t7 \r\nretry-after: 99\r\nX Y: 1\r\n: 1\r\n"
        + "A:\(value)\r\nB:\(value)\r\nC:\(value)\r\n\r\n")
    #expect(
      try await CurlTransport().send(request(server.url)).headers
        == ["retry-after": "7", "a": value, "b": value, "c": value])
  }

  @Test(
    "an answer without end is left at its limit, also in a file, and a server that is silent at the time limit",
    arguments: ["x", "A: 1\r\n", ""], [false, true])
  func endless(piece: String, isRecorded: Bool) async throws {
    let server = try RawServer { connection in
      RawServer.write("HTTP/1.1 200 OK\r\n" + (piece == "x" ? "\r\n" : ""), to: connection)
      let block = String(repeating: piece, count: 10_000)
      while !piece.isEmpty && RawServer.write(block, to: connection) {}
      RawServer.waitForEnd(of: connection)
    }
    let recorder = isRecorded ? try recorder() : nil
    let transport = CurlTransport(timeLimit: .seconds(piece.isEmpty ? 1 : 600))
    let silent = isRecorded ? CurlFailure.underWay : .failed(28)
    await #expect(throws: ["x": CurlFailure.tooLarge, "": silent][piece] ?? .failed(56)) {
      try await transport.send(request(server.url, recorder: recorder))
    }
    guard let recorder else { return }
    #expect(lseek(recorder.answer, 0, SEEK_END) < 2 << 20)
  }

  @Test("a request that curl could read differently is not sent, and its failure says so")
  func unsendable() async throws {
    let server = try RawServer(bytes: "HTTP/1.1 200 OK\r\n\r\n")
    let address = server.url
    let bad = [
      request(address + "\n"), request(address + "\" x"), request("http://192.0.2.1/"), request("file:///etc/passwd"),
      request(address, body: "a\nurl = b"), request(address, body: "a\u{0}"),
      request(address, body: String(repeating: "x", count: 100_000)),
      OAuthRequest(method: "POST", url: address, headers: ["A": "1\r\nB: 2"], body: []),
      OAuthRequest(method: "POST", url: address, headers: ["A: 1\r\nB": "2"], body: []),
      OAuthRequest(method: "POST", url: address, headers: [:], body: [0xFF]),
    ]
    for request in bad {
      await #expect(throws: CurlFailure.unsendable) { try await CurlTransport().send(request) }
    }
    // The options of a process that was killed meanwhile send nothing, also if the address is cut.
    for missing in [3, 15, 20, 24, 40, 60] {
      let cut = CurlTransport(program: try script(#"head -c -\#(missing) | curl "$@""#))
      await #expect(throws: CurlFailure.self, "\(missing)") { try await cut.send(request(address)) }
    }
    #expect(server.requests == [])
    let missing = CurlTransport(program: directory.path + "/none")
    await #expect(throws: CurlFailure.notStarted) { try await missing.send(request(address)) }
    for program in ["true", "cat"] {
      await #expect(throws: CurlFailure.interrupted) {
        try await CurlTransport(program: program).send(request(address))
      }
    }
    await #expect(throws: CurlFailure.failed(7)) {
      try await CurlTransport(executor: .callingThread).send(request("http://127.0.0.1:1/"))
    }
    #expect(CurlFailure.failed(7).isUnsent && CurlFailure.notStarted.isUnsent)
    #expect(![1, 8, 18, 28, 52, 56].contains { CurlFailure.failed($0).isUnsent })
  }

  // MARK: Recorded answers

  /// A locked file, and room for an answer.
  private func recorder() throws -> ExchangeRecorder {
    let lock = open(directory.path + "/lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    let answer = open(directory.path + "/answer", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    try #require(flock(lock, LOCK_EX | LOCK_NB) == 0 && posix_fallocate(answer, 0, 65_536) == 0)
    return ExchangeRecorder(lock: lock, answer: answer)
  }

  @Test("curl keeps the lock and writes the answer down, also if its caller gives up and the terminal sends ^C")
  func recorded() async throws {
    let (asked, mayAnswer) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let server = try RawServer { connection in
      asked.signal()
      mayAnswer.wait()
      RawServer.write("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n{\n\n}", to: connection)
    }
    let recorder = try recorder()
    let transport = CurlTransport(program: try script(#"echo $$ >"${0%/*}/pid"; exec curl "$@""#))
    let sending = Task { try await transport.send(request(server.url, recorder: recorder)) }
    await withCheckedContinuation { continuation in
      _ = startThread {
        asked.wait()
        continuation.resume()
      }
    }
    let text = try String(contentsOf: directory.appending(path: "pid"), encoding: .utf8)
    let process = try #require(pid_t(text.trimmingCharacters(in: .newlines)))
    #expect(getpgid(process) == process)
    // As if this process died.
    close(recorder.lock)
    sending.cancel()
    let other = open(directory.path + "/lock", O_RDWR | O_CLOEXEC)
    #expect(flock(other, LOCK_EX | LOCK_NB) != 0)
    mayAnswer.signal()
    let response = try await sending.value
    #expect(flock(other, LOCK_EX | LOCK_NB) == 0)
    close(other)
    let bytes = [UInt8](try Data(contentsOf: directory.appending(path: "answer")))
    #expect(bytes.count == 65_536)
    let recorded = try CurlTransport.response(recorded: bytes)
    for answer in [response, recorded] { #expect(answer.status == 200 && answer.body == Array("{\n\n}".utf8)) }
    // Nothing of it is an answer before all of it is.
    let length = try #require(bytes.lastIndex { $0 != 0 })
    for count in 0...length {
      #expect(throws: CurlFailure.interrupted) { try CurlTransport.response(recorded: Array(bytes[..<count])) }
    }
    close(recorder.answer)
  }

  @Test("a recorded request continues after its caller's limit, and when a service or a terminal is ended")
  func underWay() async throws {
    let (asked, mayAnswer) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let server = try RawServer { connection in
      asked.signal()
      mayAnswer.wait()
      RawServer.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}", to: connection)
    }
    let recorder = try recorder()
    let transport = CurlTransport(
      program: try script(#"echo $$ >"${0%/*}/pid"; exec curl "$@""#), timeLimit: .zero)
    await #expect(throws: CurlFailure.underWay) { try await transport.send(request(server.url, recorder: recorder)) }
    await withCheckedContinuation { continuation in
      _ = startThread {
        asked.wait()
        continuation.resume()
      }
    }
    let text = try String(contentsOf: directory.appending(path: "pid"), encoding: .utf8)
    let process = try #require(pid_t(text.trimmingCharacters(in: .newlines)))
    for signal in [SIGTERM, SIGINT, SIGHUP] { #expect(kill(process, signal) == 0) }
    // As if this process died.
    close(recorder.lock)
    let other = open(directory.path + "/lock", O_RDWR | O_CLOEXEC)
    #expect(flock(other, LOCK_EX | LOCK_NB) != 0)
    mayAnswer.signal()
    #expect(flock(other, LOCK_EX) == 0)
    close(other)
    let bytes = [UInt8](try Data(contentsOf: directory.appending(path: "answer")))
    #expect(try CurlTransport.response(recorded: bytes).body == Array("{}".utf8))
    close(recorder.answer)
  }

  @Test("a request that is cancelled ends its curl")
  func cancelled() async throws {
    let server = try RawServer { RawServer.waitForEnd(of: $0) }
    let sending = Task { try await CurlTransport().send(request(server.url)) }
    while server.requests.isEmpty { await Task.yield() }
    sending.cancel()
    await #expect(throws: CurlFailure.interrupted) { try await sending.value }
  }
}
