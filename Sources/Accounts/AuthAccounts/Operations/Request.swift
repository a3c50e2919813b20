package import AuthCore

extension BackendOperation {
  /// A request of this operation with these inputs.
  package func request(_ input: Input) -> Request {
    Request(
      operation: self, input: input, token: token(input), isSearch: exchange.isSearch?(input) ?? false,
      perform: { (backend) throws(BackendError) in try backend.perform(self, on: input) },
      body: { (form) throws(WireFault) in try requestBody(input, for: form) },
      serve: { (performer) throws(BackendError) in try performer.perform(self, on: exchange.capped?(input) ?? input) })
  }

  /// A request of this operation with these inputs, each an argument.
  package func callAsFunction<each Part>(_ part: repeat each Part) -> Request where Input == (repeat each Part) {
    request((repeat each part))
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
  func perform<Input, Output, Key>(
    _ operation: BackendOperation<Input, Output, Key>, on input: Input
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
  package func input<Input, Output, Key>(of operation: BackendOperation<Input, Output, Key>) -> Input? {
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
