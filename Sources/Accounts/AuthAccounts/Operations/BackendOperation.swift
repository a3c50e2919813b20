package import AuthCore

/// An operation of a backend: its number in the protocol of the service, its inputs and its output,
/// and what it requires of the session.
///
/// The rule that decides it is in the rule book, `Rules.rule(of:)` in `AuthRules`; a client of a
/// service has none.
///
/// A program calls the methods of ``Backend``, which take a lease and check the keys. Only a
/// backend handles this type.
public struct BackendOperation<Input: Sendable, Output: Sendable>: Sendable {
  /// The name of the operation, as it is declared in ``Operations``.
  ///
  /// Made when it is asked for: the name of a case is looked up at run time, which would be a part
  /// of each short run.
  public var name: String { otherName ?? String(describing: number) }
  private let otherName: String?
  /// The operation's number in the protocol; no other operation ever gets it.
  package let number: OperationNumber
  /// The kind of the response in the protocol.
  package let kind: ResponseKind
  /// The operation's work, which decides which threads of a service run it.
  package let work: RequestWork
  /// What the client does when the response was lost.
  package let lost: LostResponse
  /// What the operation requires of the session; nil for an operation without a session.
  package let needs: SessionNeeds?
  /// Sends the operation to a service with changed inputs or in several requests; nil sends its
  /// inputs once, as they are.
  var asking: Asking?
  /// Lowers the limit in the inputs to the rows that fit a frame; nil unless the output is a list.
  var capped: (@Sendable (Input) -> Input)?
  /// Whether an operation with these inputs takes a search; nil if none does.
  var searches: (@Sendable (Input) -> Bool)?
  /// The command-line option with which a user safely repeats the operation after its response was
  /// lost; nil if there is none.
  package private(set) var retry: (@Sendable (Input) -> String?)?
  private let token: @Sendable (Input) -> SessionToken?
  private let inputs: WireParts<Input>
  private var output: WireParts<Output>

  /// Sends an operation to a service; `ask` sends one request.
  typealias Asking =
    @Sendable (
      _ input: Input, _ ask: (Input) throws(BackendError) -> Output
    ) throws(BackendError) -> Output

  private init<each Part: WireValue>(
    _ number: OperationNumber, _ kind: ResponseKind, _ work: RequestWork, _ lost: LostResponse?,
    _ needs: SessionNeeds?, _ name: String?, _ output: WireParts<Output>
  ) where Input == (repeat each Part) {
    (self.number, self.kind, self.work, self.needs) = (number, kind, work, needs)
    otherName = name
    self.lost = lost ?? (work == .reads ? .readAgain : .once)
    self.output = output
    inputs = WireParts()
    token = { input in
      var token: SessionToken?
      for part in repeat each input { token = part as? SessionToken ?? token }
      return token
    }
  }

  /// Creates an operation.
  ///
  /// - Parameters:
  ///   - number: The operation's number in the protocol, with its name in ``Operations``.
  ///   - kind: The kind of the response.
  ///   - work: Whether it hashes a password, writes or only reads.
  ///   - lost: What the client does when the response was lost; nil repeats a read, and nothing
  ///     else.
  ///   - needs: What it requires of the session; nil for an operation without a session.
  ///   - name: Its name in ``Operations``, if it is another one.
  init<each Part: WireValue>(
    _ number: OperationNumber, _ kind: ResponseKind, _ work: RequestWork, lost: LostResponse? = nil,
    needs: SessionNeeds? = nil, name: String? = nil
  ) where Input == (repeat each Part), Output: WireValue {
    self.init(number, kind, work, lost, needs, name, WireParts())
  }

  /// Creates an operation without an output; its response only says that it is done.
  init<each Part: WireValue>(
    _ number: OperationNumber, _ work: RequestWork, lost: LostResponse? = nil, needs: SessionNeeds? = nil
  ) where Input == (repeat each Part), Output == Void {
    self.init(number, .done, work, lost, needs, nil, WireParts())
  }

  /// Returns this operation with another form of its output in the protocol.
  func responding(with output: WireParts<Output>) -> BackendOperation {
    var operation = self
    operation.output = output
    return operation
  }

  /// Returns this operation with what a client of a service does because a response may be lost.
  ///
  /// - Parameters:
  ///   - option: The command-line option with which a user safely repeats it; nil without one.
  ///   - asking: Sends the operation to a service, such as with a key that makes it repeatable.
  /// - Returns: The operation.
  func retrying(with option: @escaping @Sendable (Input) -> String?, _ asking: @escaping Asking) -> BackendOperation {
    var operation = self
    (operation.retry, operation.asking) = (option, asking)
    return operation
  }

  /// Has a service perform the operation.
  ///
  /// - Parameters:
  ///   - ask: Sends one request with the inputs that it gets, and returns the output.
  ///   - input: The inputs.
  /// - Returns: The output, put together where it took several requests.
  /// - Throws: ``BackendError``.
  package func run(
    asking ask: (Input) throws(BackendError) -> Output, _ input: Input
  ) throws(BackendError) -> Output {
    if let asking { try asking(input, ask) } else { try ask(input) }
  }

  // MARK: In the protocol

  /// A request of this operation with these inputs.
  package func request(_ input: Input) -> Request {
    Request(
      operation: self, input: input, token: token(input), isSearch: searches?(input) ?? false,
      perform: { (backend) throws(BackendError) in try backend.perform(self, on: input) },
      body: { (form) throws(WireFault) in try requestBody(input, for: form) },
      serve: { (performer) throws(BackendError) in try performer.perform(self, on: capped?(input) ?? input) })
  }

  /// A request of this operation with these inputs, each an argument.
  package func callAsFunction<each Part>(_ part: repeat each Part) -> Request where Input == (repeat each Part) {
    request((repeat each part))
  }

  /// The body of a request to a service, with the tokens in this form.
  package func requestBody(_ input: Input, for form: TokenForm) throws(WireFault) -> WireBody {
    let wire = WireWriter(for: form)
    wire.byte(number.rawValue)
    inputs.write(input, wire)
    return try wire.body
  }

  /// Reads the output from the response of a service; nil for a response of another kind.
  package func response(in body: WireBody, for form: TokenForm) throws(WireFault) -> Output? {
    var wire = WireReader(body.bytes, for: form)
    guard try wire.byte() == kind.rawValue else { return nil }
    let value = try output.read(&wire)
    try wire.end()
    return value
  }
}

/// An operation whatever its inputs and output are, for a service that reads its number first.
package protocol AnyOperation: Sendable {
  var name: String { get }
  var number: OperationNumber { get }
  var kind: ResponseKind { get }
  var work: RequestWork { get }
  var lost: LostResponse { get }
  var needs: SessionNeeds? { get }

  /// Reads the inputs of a request of this operation.
  func request(from wire: inout WireReader) throws(WireFault) -> Request

  /// Writes an output of this operation as the response of a service; nil for a value of another
  /// type.
  func responseBody(_ output: any Sendable) -> WireBody?

  /// Reads the output from the response of a service; nil for a response of another kind.
  func output(of response: WireBody) throws(WireFault) -> (any Sendable)?
}

extension BackendOperation: AnyOperation {
  package func request(from wire: inout WireReader) throws(WireFault) -> Request { request(try inputs.read(&wire)) }

  package func responseBody(_ output: any Sendable) -> WireBody? {
    guard let output = output as? Output else { return nil }
    let wire = WireWriter(for: .plain)
    wire.byte(kind.rawValue)
    self.output.write(output, wire)
    return try? wire.body
  }

  package func output(of response: WireBody) throws(WireFault) -> (any Sendable)? {
    try self.response(in: response, for: .plain)
  }
}

/// What performs the operations that a service gets: the rules over its database.
package protocol OperationPerformer: Sendable {
  /// Performs an operation on its input, or on a tuple of several.
  func perform<Input, Output>(
    _ operation: BackendOperation<Input, Output>, on input: Input
  ) throws(BackendError) -> Output
}

/// An operation with its inputs, whatever their types are.
package struct Request: Sendable {
  package let operation: any AnyOperation
  /// The inputs, as a tuple if there are several.
  package let input: any Sendable
  /// The token of the session, or of the challenge, that the request has; nil without one.
  package let token: SessionToken?
  /// Whether the request searches a long list, which takes longer than other reads.
  package let isSearch: Bool
  /// Performs the operation through the entry of a backend.
  package let perform: @Sendable (any Backend) throws(BackendError) -> any Sendable
  /// The body of the request to a service, with the tokens in this form.
  package let body: @Sendable (TokenForm) throws(WireFault) -> WireBody
  /// Performs the operation for a client of a service, with at most the rows that fit a frame.
  package let serve: @Sendable (any OperationPerformer) throws(BackendError) -> any Sendable

  /// The inputs with their types; nil if the request is of another operation.
  package func input<Input, Output>(of operation: BackendOperation<Input, Output>) -> Input? {
    operation.number == self.operation.number ? input as? Input : nil
  }
}

extension Request {
  /// Reads the request of a client.
  ///
  /// - Parameters:
  ///   - body: The number of the operation and the inputs.
  ///   - operations: The operations that the service performs, by their numbers.
  /// - Throws: ``WireFault`` for an unknown number, or inputs that the operation does not have.
  package init(_ body: WireBody, of operations: [OperationNumber: any AnyOperation]) throws(WireFault) {
    var wire = WireReader(body.bytes, for: .plain)
    let number = try wire.byte()
    guard let operation = OperationNumber(rawValue: number).flatMap({ operations[$0] }) else {
      throw .unknownTag(number, of: "Request")
    }
    self = try operation.request(from: &wire)
    try wire.end()
  }
}

/// The work of an operation, which decides which threads of a service run it.
package enum RequestWork: String, Hashable, Sendable, CaseIterable {
  /// Hashes a password, for which the request may wait in a queue.
  case hashes
  /// May change what others see.
  case writes
  /// Changes nothing that others see.
  case reads
}

/// What a client does when the response was lost.
package enum LostResponse: Hashable, Sendable {
  /// Sends the operation again, or reports that there was no response: only the response matters.
  case readAgain
  /// Sends the operation again: it has a key or a token that the client created, or it sets a
  /// state.
  case repeatable
  /// Does not send the operation again: it could take effect twice.
  case once
}

/// The kinds of responses by their numbers in the protocol; several operations may share a kind.
package enum ResponseKind: UInt8, Sendable, CaseIterable {
  case done = 1, grant, found, user, profile, recoveryCodes, oneTimeCode, twoStep, twoStepSecret, twoStepPolicy
  case sessions, count, receipt, earlier, receipts, events, account, accounts, registration,
    groups, proof, provenUser
}
