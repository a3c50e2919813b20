/// What a service and its client do beside sending one request with the inputs of an operation.
struct OperationExchange<Input: Sendable, Output: Sendable>: Sendable {
  /// Sends changed inputs, or several requests; `ask` sends one request.
  typealias Asking =
    @Sendable (
      _ input: Input, _ ask: (Input) throws(BackendError) -> Output
    ) throws(BackendError) -> Output

  /// How the client sends it; nil sends one request with its inputs.
  var asking: Asking?
  /// The command-line option with which a user safely repeats it after its response was lost; nil
  /// if there is none.
  var retry: (@Sendable (Input) -> String?)?
  /// Lowers the limit in the inputs to the rows that fit a frame; nil unless the output is a list.
  var capped: (@Sendable (Input) -> Input)?
  /// Whether an operation with these inputs takes a search; nil if none does.
  var isSearch: (@Sendable (Input) -> Bool)?
}

extension BackendOperation {
  /// Returns this operation with what a client of a service does because a response may be lost.
  ///
  /// - Parameters:
  ///   - option: The command-line option with which a user safely repeats it; nil without one.
  ///   - asking: Sends the operation to a service, such as with a key that makes it repeatable.
  /// - Returns: The operation.
  func retrying(
    with option: @escaping @Sendable (Input) -> String?, _ asking: @escaping OperationExchange<Input, Output>.Asking
  ) -> BackendOperation {
    var operation = self
    (operation.exchange.retry, operation.exchange.asking) = (option, asking)
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
    if let asking = exchange.asking { try asking(input, ask) } else { try ask(input) }
  }

  /// The command-line option with which a user safely repeats the operation with these inputs after
  /// its response was lost; nil if there is none.
  package func retryOption(for input: Input) -> String? { exchange.retry?(input) }
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
