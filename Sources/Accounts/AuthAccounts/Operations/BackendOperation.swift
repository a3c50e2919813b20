import AuthCore

/// An operation of a backend: its number in the protocol of the service, its inputs and its output,
/// and the key that it takes, which tells what it requires of the session.
///
/// The rule that decides it is in the rule book, `Rules.rule(of:)` in `AuthRules`; a client of a
/// service has none.
///
/// A program calls the methods of ``Backend``, which take a lease and check the keys. Only a
/// backend handles this type.
public struct BackendOperation<Input: Sendable, Output: Sendable, Key>: Sendable {
  /// The name of the operation, as it is declared in ``Operations``.
  ///
  /// Made when it is asked for: the name of a case is looked up at run time, which would be a part
  /// of each short run.
  package var name: String { otherName ?? String(describing: number) }
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
  /// How the service and its client exchange it.
  var exchange = OperationExchange<Input, Output>()
  /// The token of the session, or of the challenge, in the inputs; nil without one.
  let token: @Sendable (Input) -> SessionToken?
  let inputs: WireParts<Input>
  private(set) var output: WireParts<Output>

  private init<each Part: WireValue>(
    _ number: OperationNumber, _ kind: ResponseKind, _ work: RequestWork, _ lost: LostResponse?,
    _ needs: KeyNeeds<Key>, _ name: String?, _ output: WireParts<Output>
  ) where Input == (repeat each Part) {
    (self.number, self.kind, self.work, self.needs) = (number, kind, work, needs.session)
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
  ///   - needs: What it requires of the session, from which the key follows.
  ///   - name: Its name in ``Operations``, if it is another one.
  init<each Part: WireValue>(
    _ number: OperationNumber, _ kind: ResponseKind, _ work: RequestWork, lost: LostResponse? = nil,
    needs: KeyNeeds<Key>, name: String? = nil
  ) where Input == (repeat each Part), Output: WireValue {
    self.init(number, kind, work, lost, needs, name, WireParts())
  }

  /// Creates an operation without an output; its response only says that it is done.
  init<each Part: WireValue>(
    _ number: OperationNumber, _ work: RequestWork, lost: LostResponse? = nil, needs: KeyNeeds<Key>
  ) where Input == (repeat each Part), Output == Void {
    self.init(number, .done, work, lost, needs, nil, WireParts())
  }

  /// Returns this operation with another form of its output in the protocol.
  func responding(with output: WireParts<Output>) -> BackendOperation {
    var operation = self
    operation.output = output
    return operation
  }

  // MARK: In the protocol

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

/// The work of an operation, which decides which threads of a service run it.
package enum RequestWork: String, Hashable, Sendable, CaseIterable {
  /// Hashes a password, for which the request may wait in a queue.
  case hashes
  /// May change what others see.
  case writes
  /// Changes nothing that others see.
  case reads
}
