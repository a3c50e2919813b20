import AuthAccounts
import AuthCore
import Foundation
import Glibc
import Services
import Testing

@testable import AuthService

/// A client that says what a test wants it to say.
final class ServiceClient {
  enum Failure: Error { case notConnected, noHello, closed }

  private let link: ServiceLink
  private(set) var hello: ServiceHello?
  private var lastID: UInt32 = 0

  /// Takes a connected socket over, and reads what the service says first.
  init(_ descriptor: Int32, greets: Bool = true) throws {
    link = ServiceLink(descriptor)
    guard case .hello(let hello) = try next() else { throw Failure.noHello }
    self.hello = hello
    if greets { try send(.hello) }
  }

  convenience init(_ path: String, greets: Bool = true) throws {
    guard let descriptor = connectedSocket(to: path) else { throw Failure.notConnected }
    try self.init(descriptor, greets: greets)
  }

  /// A client of another user: `auth-service connect`, run by that user.
  convenience init(asUser user: uid_t, _ path: String) throws {
    var pair: [Int32] = [0, 0]
    guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0, &pair) == 0 else {
      throw Failure.notConnected
    }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/setpriv")
    process.arguments =
      [
        "--reuid=\(user)", "--regid=0", "--clear-groups", RunningService.executable, "connect", "--socket", path,
      ]
    let end = FileHandle(fileDescriptor: pair[1], closeOnDealloc: true)
    process.standardInput = end
    process.standardOutput = end
    process.standardError = FileHandle.nullDevice
    try process.run()
    try end.close()
    try self.init(pair[0])
  }

  private var deadline: ResponseDeadline { ResponseDeadline(in: .seconds(60)) }

  func send(_ bytes: [UInt8]) throws { try link.send(bytes, until: deadline) }

  func send(_ frame: ClientFrame) throws { try send(try frame.encoded()) }

  /// Sends a request; its number comes back with the answer.
  @discardableResult
  func send(_ request: Request) throws -> UInt32 {
    lastID += 1
    try send(.request(lastID, try request.body(.plain)))
    return lastID
  }

  /// The next frame; nil when the service closed the connection.
  func next() throws -> ServerFrame? {
    do throws(ServiceFault) { return try link.receive(for: .plain, until: deadline) } catch .lost { return nil }
  }

  /// The next answer, whatever was asked.
  func answer() throws -> Result<WireBody, BackendError> {
    switch try next() {
    case .response(_, _, let answer): .success(answer)
    case .failure(_, _, let error): .failure(error)
    case .hello, .changed, nil: throw Failure.closed
    }
  }

  /// The answer with this number, in the next frame.
  func answer(_ number: UInt32) throws -> WireBody {
    guard case .response(number, _, let answer) = try next() else { throw Failure.closed }
    return answer
  }

  /// The failure with this number, in the next frame.
  func failure(_ number: UInt32) throws -> BackendError {
    guard case .failure(number, _, let error) = try next() else { throw Failure.closed }
    return error
  }

  func ask<each Part: Sendable, Output, Key>(
    _ operation: BackendOperation<(repeat each Part), Output, Key>, _ part: repeat each Part
  ) throws -> Output {
    try send(operation.request((repeat each part)))
    return try #require(try operation.response(in: try answer().get(), for: .plain))
  }

  /// The session that a token opens, if it opens one.
  func lookUp(_ token: SessionToken) throws -> Grant? { try ask(Operations.lookUp, token) }

  func pay(_ order: PaymentOrder, _ token: SessionToken) throws -> Receipt {
    try ask(Operations.pay, order, token)
  }

  func receipts(_ token: SessionToken) throws -> [Receipt] {
    try ask(Operations.receipts, Page(within: .all, before: nil, limit: 50), token).rows
  }

  /// The error of the next answer.
  func refusal() throws -> BackendError? {
    if case .failure(let error) = try answer() { error } else { nil }
  }

  /// Whether the next frame tells to look again.
  func isNotified() throws -> Bool {
    if case .changed? = try next() { true } else { false }
  }

  /// Logs in under a token of its own.
  func logIn(_ name: String, password: String = RunningService.password) throws -> SessionToken {
    let login = Self.login(name, password)
    try send(login)
    return try #require(try Operations.logIn.response(in: try answer().get(), for: .plain)).token
  }

  static func login(_ name: String, _ password: String = RunningService.password) -> Request {
    Operations.logIn(
      Credentials.password(username: name, password: Secret(password)), .standard,
      NewSession(token: Self.token(), label: nil, origin: nil))
  }

  static func token() -> SessionToken { SessionToken(bytes: (0..<32).map { _ in UInt8.random(in: 0...255) }) }
}
