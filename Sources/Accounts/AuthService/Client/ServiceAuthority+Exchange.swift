public import AuthBackend
import AuthCore
import Glibc
import Guards
import TextFormat

/// Sends requests to the service, one after the other on one connection.
///
/// A request whose answer was lost is sent again if it cannot take effect twice, with the same
/// tokens and keys. The outcome of every other change is then unknown, and the error says so.
extension ServiceAuthority {
  /// The hello of the service; nil before the first request.
  var hello: ServiceHello? { known.withLock { $0?.hello } }

  /// The session of this connection's user, for subscriptions.
  var session: Grant? { state.withLock { $0.session } }

  /// Connects, unless there was a connection already.
  func greet() throws(BackendError) {
    if hello != nil { return }
    try state.withLock { (state) throws(BackendError) in
      if hello == nil { _ = try connected(&state) }
    }
  }

  /// Has the service perform an operation.
  public func perform<Input, Output>(
    _ operation: BackendOperation<Input, Output>, on input: Input
  ) throws(BackendError) -> Output {
    try operation.run(asking: { (input) throws(BackendError) in try exchange(operation, input) }, input)
  }

  /// Sends one request, and sends it again if its answer was lost and that is safe.
  private func exchange<Input, Output>(
    _ operation: BackendOperation<Input, Output>, _ input: Input
  ) throws(BackendError) -> Output {
    try state.withLock { (state) throws(BackendError) in
      var lost: ServiceFault?
      var tries = 0
      let end = ContinuousClock.now + limits.returning
      while true {
        let link: ServiceLink
        do throws(BackendError) {
          link = try connected(&state)
        } catch {
          guard let lost else { throw error }
          if ContinuousClock.now < end, error.code != BackendError.FailureCode.sessionOfOtherDatabase.rawValue {
            poll(nil, 0, 50)
            continue
          }
          throw verdict(lost, operation, input)
        }
        state.number &+= 1
        let answered: Result<Output, BackendError>
        let frame = try encoded(for: hello) { (form) throws(WireFault) in
          .request(state.number, try operation.question(input, for: form))
        }
        do throws(ServiceFault) {
          answered = try answer(to: frame, state.number, operation, link)
        } catch {
          state.link = nil
          tries += 1
          guard case .lost = error, operation.lost != .once, tries < 3 else { throw verdict(error, operation, input) }
          lost = error
          continue
        }
        let output = try answered.get()
        // The service takes the use of a new token for its confirmation, so only a look at a token
        // from the vault, which has used it already, replaces the token of the same session.
        if let grant = output as? Grant, grant.id != state.session?.id || operation.lost == .readAgain {
          state.session = grant
        }
        return output
      }
    }
  }

  private func verdict<Input, Output>(
    _ fault: ServiceFault, _ operation: BackendOperation<Input, Output>, _ input: Input
  ) -> BackendError {
    if operation.lost == .readAgain { return fault.failure(at: address.place) }
    let service = "the service at \(address.place.escaped)"
    if let option = operation.retry?(input) { return .unavailable(.outcomeUnknown, service, fault.reason, option) }
    return .unavailable(.outcomeUnknown, service, fault.reason)
  }

  private func connected(_ state: inout State) throws(BackendError) -> ServiceLink {
    if let link = state.link, !link.isOver { return link }
    state.link = nil
    let mayAsk = limits.isInteractive && isatty(STDIN_FILENO) == 1
    let (link, hello, place) = try Dialling(address: address, limits: limits, mayAsk: mayAsk).connect()
    if let before = self.hello?.database, before != hello.database { throw otherDatabase(before.escaped, hello) }
    state.link = link
    known.withLock { $0 = (hello, place) }
    hear(hello.now)
    return link
  }

  private func form(_ hello: ServiceHello?) -> TokenForm {
    TokenForm(database: hello.flatMap { Hex.bytes(Array($0.database.utf8)) } ?? [])
  }

  private func otherDatabase(_ known: String, _ hello: ServiceHello?) -> BackendError {
    .unavailable(.sessionOfOtherDatabase, known, address.place.escaped, hello?.database.escaped ?? "unknown")
  }

  /// The bytes of a frame for the service with this hello.
  ///
  /// - Throws: ``BackendError`` when the frame is too long, or has a token of another database.
  func encoded(
    for hello: ServiceHello?, _ frame: (TokenForm) throws(WireFault) -> ClientFrame
  ) throws(BackendError) -> [UInt8] {
    do throws(WireFault) {
      let form = form(hello)
      return try frame(form).encoded(for: form)
    } catch .foreignToken(let database) {
      throw otherDatabase(Hex.text(database), hello)
    } catch {
      throw .unavailable(.requestTooLong, error.description)
    }
  }

  private func answer<Input, Output>(
    to frame: [UInt8], _ number: UInt32, _ operation: BackendOperation<Input, Output>, _ link: ServiceLink
  ) throws(ServiceFault) -> Result<Output, BackendError> {
    let deadline = AnswerDeadline(in: operation.work == .hashes ? limits.hashing : limits.answer)
    try link.send(frame, until: deadline)
    let form = form(hello)
    switch try link.receive(for: form, until: deadline) {
    case .answer(number, let now, let body):
      guard
        let output = try ServiceFault.reading({ () throws(WireFault) in
          try operation.answer(in: body, for: form)
        })
      else { throw .unasked }
      hear(now)
      return .success(output)
    case .failure(number, let now, let error), .failure(Frames.unnumbered, let now, let error):
      hear(now)
      return .failure(error)
    case .answer, .failure, .hello, .lookAgain: throw .unasked
    }
  }

  private func hear(_ now: BootInstant?) {
    if let now { serverClock.hear(now.uptime.wholeNanoseconds, from: now.boot) }
  }
}
