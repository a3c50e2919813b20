public import AuthAccounts
import AuthCore
import ConcurrencyKit
import Glibc
import TextFormat

/// Sends requests to the service, on one connection while one request at a time is enough.
///
/// A request whose answer was lost is sent again if it cannot take effect twice, with the same
/// tokens and keys. The outcome of every other change is then unknown, and the error says so.
extension ServiceAuthority {
  /// The hello of the service; nil before the first request.
  var hello: ServiceHello? { known.withLock { $0?.hello } }

  /// The session of this connection's user, for subscriptions.
  var session: Grant? { found.withLock { $0.session } }

  /// Connects, unless there was a connection already.
  func greet() throws(BackendError) {
    if hello != nil { return }
    try turn.take { () throws(BackendError) in
      if hello == nil { giveBack(try connected(isLook: true)) }
    }
  }

  /// Has the service perform an operation.
  public func perform<Input, Output, Key>(
    _ operation: BackendOperation<Input, Output, Key>, on input: Input
  ) throws(BackendError) -> Output {
    try operation.run(asking: { (input) throws(BackendError) in try exchange(operation, input) }, input)
  }

  /// Sends one request, and sends it again if its answer was lost and that is safe.
  private func exchange<Input, Output, Key>(
    _ operation: BackendOperation<Input, Output, Key>, _ input: Input
  ) throws(BackendError) -> Output {
    let changes = found.withLock { $0.changes }
    let output = try (operation.work == .hashes ? hashTurn : turn).take { () throws(BackendError) in
      try answer(to: operation, input)
    }
    guard let grant = output as? Grant else { return output }
    found.withLock { found in
      // A look that began before another session did has found an earlier one.
      if operation.lost == .readAgain, found.changes != changes { return }
      // The service takes the use of a new token for its confirmation, so only a look at a token
      // from the vault, which has used it already, replaces the token of the same session.
      if grant.id != found.session?.id || operation.lost == .readAgain { found = (grant, found.changes + 1) }
    }
    return output
  }

  private func answer<Input, Output, Key>(
    to operation: BackendOperation<Input, Output, Key>, _ input: Input
  ) throws(BackendError) -> Output {
    var lost: ServiceFault?
    var tries = 0
    let end = ContinuousClock.now + limits.returning
    while true {
      let link: ServiceLink
      do throws(BackendError) {
        link = try connected(isLook: operation.work != .hashes)
      } catch {
        guard let lost else { throw error }
        if ContinuousClock.now < end, error.code != BackendError.FailureCode.sessionOfOtherDatabase.rawValue {
          poll(nil, 0, 50)
          continue
        }
        throw verdict(lost, operation, input)
      }
      var isLost = true
      defer { giveBack(isLost ? nil : link) }
      let number = links.withLock { links in
        links.number &+= 1
        return links.number
      }
      let frame: [UInt8]
      do throws(BackendError) {
        frame = try encoded(for: hello) { (form) throws(WireFault) in
          .request(number, try operation.requestBody(input, for: form))
        }
      } catch {
        isLost = false
        throw error
      }
      let answered: Result<Output, BackendError>
      do throws(ServiceFault) {
        answered = try answer(to: frame, number, operation, link)
      } catch {
        tries += 1
        guard case .lost = error, operation.lost != .once, tries < 3 else { throw verdict(error, operation, input) }
        lost = error
        continue
      }
      isLost = false
      return try answered.get()
    }
  }

  private func verdict<Input, Output, Key>(
    _ fault: ServiceFault, _ operation: BackendOperation<Input, Output, Key>, _ input: Input
  ) -> BackendError {
    if operation.lost == .readAgain { return fault.failure(at: address.place) }
    let service = "the service at \(address.place.escaped)"
    if let option = operation.retryOption(for: input) {
      return .unavailable(.outcomeUnknown, service, fault.reason, option)
    }
    return .unavailable(.outcomeUnknown, service, fault.reason)
  }

  /// A connection for one request, until ``giveBack(_:)``.
  ///
  /// A second one is made while another request waits. Where ssh would have to ask for it, a
  /// request without a password hash waits for the first one.
  private func connected(isLook: Bool) throws(BackendError) -> ServiceLink {
    let (kept, isSecond) = links.withLock { links in
      defer { links.busy += 1 }
      links.idle.removeAll { $0.isOver }
      return (links.idle.popLast(), links.busy > 0)
    }
    if let kept { return kept }
    do throws(BackendError) {
      return try dial(mayAsk: !(isSecond && isLook) && limits.isInteractive && isatty(STDIN_FILENO) == 1)
    } catch {
      giveBack(nil)
      guard isSecond, isLook, case .ssh = address else { throw error }
    }
    return try hashTurn.take { () throws(BackendError) in try connected(isLook: isLook) }
  }

  /// Keeps a connection for the next request; nil for one that is lost.
  private func giveBack(_ link: ServiceLink?) {
    links.withLock { links in
      links.busy -= 1
      if let link { links.idle.append(link) }
    }
  }

  private func dial(mayAsk: Bool) throws(BackendError) -> ServiceLink {
    let (link, hello, place) = try Dialling(address: address, limits: limits, mayAsk: mayAsk).connect()
    if let before = self.hello?.database, before != hello.database { throw otherDatabase(before.escaped, hello) }
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

  private func answer<Input, Output, Key>(
    to frame: [UInt8], _ number: UInt32, _ operation: BackendOperation<Input, Output, Key>, _ link: ServiceLink
  ) throws(ServiceFault) -> Result<Output, BackendError> {
    let deadline = ResponseDeadline(in: operation.work == .hashes ? limits.hashing : limits.answer)
    try link.send(frame, until: deadline)
    let form = form(hello)
    switch try link.receive(for: form, until: deadline) {
    case .response(number, let now, let body):
      guard
        let output = try ServiceFault.reading({ () throws(WireFault) in
          try operation.response(in: body, for: form)
        })
      else { throw .unasked }
      hear(now)
      return .success(output)
    case .failure(number, let now, let error), .failure(Frames.unnumbered, let now, let error):
      hear(now)
      return .failure(error)
    case .response, .failure, .hello, .changed: throw .unasked
    }
  }

  private func hear(_ now: BootInstant?) {
    if let now { serverClock.hear(now.uptime.wholeNanoseconds, from: now.boot) }
  }
}
