/// One operation of a backend: its number in the protocol of the service, what it needs, and the
/// rule that decides it.
///
/// A program calls the methods of ``Backend``, which take a lease and check the keys. Only a
/// backend handles this type.
public struct BackendOperation<Input: Sendable, Output: Sendable>: Sendable {
  /// The name of its declaration in ``Operations``.
  public let name: String
  /// Its number in the protocol, which is never used again.
  package let number: UInt8
  /// The kind of its answer in the protocol.
  package let kind: AnswerKind
  /// What it takes.
  package let work: RequestWork
  /// What the client does when the answer was lost.
  package let lost: LostAnswer
  /// What it needs of the session; nil for an operation without a session.
  package let needs: SessionNeeds?
  /// Asks a service, with other inputs or more often than once; nil to ask once.
  var asking: Asking?
  /// The inputs with no more rows than a frame has; nil without a list.
  var capped: (@Sendable (Input) -> Input)?
  /// The option that repeats it safely after its answer was lost, if there is one.
  package private(set) var retry: (@Sendable (Input) -> String?)?
  private let rule: @Sendable (Rules, Input) throws(BackendError) -> Output
  private let inputs: WireParts<Input>
  private var output: WireParts<Output>

  /// Asks a service by means of a function that asks once.
  typealias Asking =
    @Sendable (
      _ input: Input, _ ask: (Input) throws(BackendError) -> Output
    ) throws(BackendError) -> Output

  private init<each Part: WireValue>(
    _ name: String, _ number: UInt8, _ kind: AnswerKind, _ work: RequestWork, _ lost: LostAnswer?,
    _ needs: SessionNeeds?, _ output: WireParts<Output>,
    _ rule: @escaping @Sendable (Rules) -> (repeat each Part) throws(BackendError) -> Output
  ) where Input == (repeat each Part) {
    (self.name, self.number, self.kind, self.work, self.needs) = (name, number, kind, work, needs)
    self.lost = lost ?? (work == .reads ? .readAgain : .once)
    self.output = output
    inputs = WireParts()
    self.rule = { (rules, input) throws(BackendError) in try rule(rules)(repeat each input) }
  }

  /// Creates an operation.
  ///
  /// - Parameters:
  ///   - name: The name of its declaration.
  ///   - number: Its number in the protocol.
  ///   - kind: The kind of its answer.
  ///   - work: What it takes.
  ///   - lost: What the client does when the answer was lost; nil repeats a read, and nothing else.
  ///   - needs: What it needs of the session.
  ///   - rule: The method of the rule book.
  init<each Part: WireValue>(
    _ name: String, _ number: UInt8, _ kind: AnswerKind, _ work: RequestWork, lost: LostAnswer? = nil,
    needs: SessionNeeds? = nil,
    _ rule: @escaping @Sendable (Rules) -> (repeat each Part) throws(BackendError) -> Output
  ) where Input == (repeat each Part), Output: WireValue {
    self.init(name, number, kind, work, lost, needs, WireParts(), rule)
  }

  /// Creates an operation that answers nothing but that it is done.
  init<each Part: WireValue>(
    _ name: String, _ number: UInt8, _ work: RequestWork, lost: LostAnswer? = nil, needs: SessionNeeds? = nil,
    _ rule: @escaping @Sendable (Rules) -> (repeat each Part) throws(BackendError) -> Void
  ) where Input == (repeat each Part), Output == Void {
    self.init(name, number, .done, work, lost, needs, WireParts(), rule)
  }

  /// The operation with another form of its output.
  func answering(_ output: WireParts<Output>) -> BackendOperation {
    var operation = self
    operation.output = output
    return operation
  }

  /// The operation as a client performs it that may lose the answer.
  func retrying(with option: @escaping @Sendable (Input) -> String?, _ asking: @escaping Asking) -> BackendOperation {
    var operation = self
    (operation.retry, operation.asking) = (option, asking)
    return operation
  }

  /// Performs it in this process.
  package func run(_ rules: Rules, _ input: Input) throws(BackendError) -> Output { try rule(rules, input) }

  /// Performs it by a service, of which `ask` asks once.
  package func run(
    asking ask: (Input) throws(BackendError) -> Output, _ input: Input
  ) throws(BackendError) -> Output {
    if let asking { try asking(input, ask) } else { try ask(input) }
  }

  // MARK: In the protocol

  /// The operation with its inputs, of any type.
  package func request(_ input: Input) -> Request {
    Request(
      operation: self, input: input,
      perform: { (backend) throws(BackendError) in try backend.perform(self, on: input) },
      question: { (form) throws(WireFault) in try question(input, for: form) },
      serve: { (rules) throws(BackendError) in try rule(rules, capped?(input) ?? input) })
  }

  /// The operation with its inputs, of any type.
  package func callAsFunction<each Part>(_ part: repeat each Part) -> Request where Input == (repeat each Part) {
    request((repeat each part))
  }

  /// A question to a service, which has tokens in this form.
  package func question(_ input: Input, for form: TokenForm) throws(WireFault) -> WireBody {
    let wire = WireWriter(for: form)
    wire.byte(number)
    inputs.write(input, wire)
    return try wire.body
  }

  /// The answer of a service; nil for one of another kind.
  package func answer(in body: WireBody, for form: TokenForm) throws(WireFault) -> Output? {
    var wire = WireReader(body.bytes, for: form)
    guard try wire.byte() == kind.rawValue else { return nil }
    let value = try output.read(&wire)
    try wire.end()
    return value
  }
}

/// An operation of any type.
package protocol AnyOperation: Sendable {
  var name: String { get }
  var number: UInt8 { get }
  var kind: AnswerKind { get }
  var work: RequestWork { get }
  var lost: LostAnswer { get }
  var needs: SessionNeeds? { get }

  /// Reads its inputs.
  func request(from wire: inout WireReader) throws(WireFault) -> Request

  /// The answer of a service with an output of the operation; nil for a value of another type.
  func answer(_ output: any Sendable) -> WireBody?

  /// The output in the answer of a service; nil for one of another kind.
  func output(of answer: WireBody) throws(WireFault) -> (any Sendable)?
}

extension BackendOperation: AnyOperation {
  package func request(from wire: inout WireReader) throws(WireFault) -> Request { request(try inputs.read(&wire)) }

  package func answer(_ output: any Sendable) -> WireBody? {
    guard let output = output as? Output else { return nil }
    let wire = WireWriter(for: .plain)
    wire.byte(kind.rawValue)
    self.output.write(output, wire)
    return try? wire.body
  }

  package func output(of answer: WireBody) throws(WireFault) -> (any Sendable)? {
    try self.answer(in: answer, for: .plain)
  }
}

/// An operation of any type with its inputs.
package struct Request: Sendable {
  package let operation: any AnyOperation
  /// The inputs, as a tuple if there are several.
  package let input: any Sendable
  /// Performs it by a backend.
  package let perform: @Sendable (any Backend) throws(BackendError) -> any Sendable
  /// Its question to a service, which has tokens in this form.
  package let question: @Sendable (TokenForm) throws(WireFault) -> WireBody
  /// Performs it for a client of a service, with no more rows than a frame has.
  package let serve: @Sendable (Rules) throws(BackendError) -> any Sendable

  /// The inputs, if it is of this operation.
  package func input<Input, Output>(of operation: BackendOperation<Input, Output>) -> Input? {
    operation.number == self.operation.number ? input as? Input : nil
  }
}

extension Request {
  /// Reads the question of a client.
  ///
  /// - Parameters:
  ///   - body: The question.
  ///   - operations: Those that are served.
  /// - Throws: ``WireFault``.
  package init(_ body: WireBody, of operations: [UInt8: any AnyOperation]) throws(WireFault) {
    var wire = WireReader(body.bytes, for: .plain)
    let number = try wire.byte()
    guard let operation = operations[number] else { throw .unknownTag(number, of: "Request") }
    self = try operation.request(from: &wire)
    try wire.end()
  }
}

/// What an operation takes.
package enum RequestWork: String, Hashable, Sendable, CaseIterable {
  /// A password is hashed, for which the request may wait in a queue.
  case hashes
  /// It may change what others see.
  case writes
  case reads
}

/// What a client does when the answer was lost.
package enum LostAnswer: Hashable, Sendable {
  /// Its answer is all that matters: send it again, or report that there was none.
  case readAgain
  /// Send it again: it has a key or a token that the client created, or it sets a state.
  case repeatable
  /// Do not send it again.
  case once
}

/// The kinds of answers, by their numbers in the protocol; there may be several operations of each.
package enum AnswerKind: UInt8, Sendable, CaseIterable {
  case done = 1, grant, found, user, profile, recoveryCodes, oneTimeCode, twoStep, twoStepSecret, twoStepPolicy
  case sessions, count, receipt, earlier, receipts, events, account, accounts, registration
}
