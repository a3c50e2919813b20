public import AuthBackend
import AuthCore
import Glibc
import Guards
import TextFormat

/// Sends requests to the service, one after the other on one connection.
///
/// A request whose answer was lost is repeated where that cannot do anything twice, under the ids
/// that it had; the outcome of every other change is unknown then, and the error says so.
extension ServiceAuthority {
  /// What the service said about itself; nil before the first request.
  var hello: ServiceHello? { known.withLock { $0 } }

  /// The session of this connection's user, for subscriptions.
  var session: Grant? { state.withLock { $0.session } }

  /// Connects, unless there was a connection already.
  func greet() throws(BackendError) {
    if hello != nil { return }
    try state.withLock { (state) throws(BackendError) in
      if hello == nil { _ = try connected(&state) }
    }
  }

  /// Asks the service.
  public func perform(_ request: BackendRequest) throws(BackendError) -> BackendAnswer {
    var keyed: BackendRequest?
    if case .pay(let order, let token) = request, order.key == nil {
      // Under a key, a payment whose answer was lost is repeated, and made once.
      let key = try IdempotencyKey(Receipt.drawnKeys + Secrets.randomName(length: Receipt.drawnLength))
      keyed = .pay(PaymentOrder(amount: order.amount, payee: order.payee, key: key), token)
    }
    switch try list(keyed ?? request) {
    case .receipt(let receipt): return .receipt(receipt.withoutDrawnKey)
    case .receipts(let receipts): return .receipts(Found(receipts.map(\.withoutDrawnKey), stop: receipts.stop))
    case let answer:
      // Here and not in the backend, which does not know the key that was drawn.
      if let keyed { throw misread(keyed) }
      return answer
    }
  }

  /// A change may have been made, whatever the service answered.
  public func misread(_ request: BackendRequest) -> BackendError { verdict(.unasked, request) }

  /// Asks for all pages of a list, and for everything else once.
  private func list(_ request: BackendRequest) throws(BackendError) -> BackendAnswer {
    guard let wanted = request.rows else { return try exchange(request) }
    var answer = try exchange(request.page(of: wanted))
    while let have = answer.rows, have > 0, have < wanted, have.isMultiple(of: Frames.longestPage), !answer.isStopped {
      let page = try exchange(request.page(of: wanted - have, after: answer))
      answer = answer.joined(with: page)
      if page.rows == 0 { break }
    }
    return answer
  }

  private func exchange(_ request: BackendRequest) throws(BackendError) -> BackendAnswer {
    try state.withLock { (state) throws(BackendError) in try exchange(request, &state) }
  }

  /// Asks, and asks again where the answer was lost and that is allowed.
  private func exchange(_ request: BackendRequest, _ state: inout State) throws(BackendError) -> BackendAnswer {
    var lost: ServiceFault?
    var tries = 0
    let end = ContinuousClock.now + limits.returning
    while true {
      let link: ServiceLink
      do throws(BackendError) {
        link = try connected(&state)
      } catch {
        guard let lost else { throw error }
        if ContinuousClock.now < end, error.code != "session_of_other_database" {
          poll(nil, 0, 50)
          continue
        }
        throw verdict(lost, request)
      }
      state.number &+= 1
      let frame = try encoded(.request(state.number, request), for: hello)
      let answered: Result<BackendAnswer, BackendError>
      do throws(ServiceFault) {
        answered = try answer(to: frame, state.number, request, link)
      } catch {
        state.link = nil
        tries += 1
        guard case .lost = error, request.traits.effect != .once, tries < 3 else { throw verdict(error, request) }
        lost = error
        continue
      }
      let answer = try answered.get()
      // The service takes the use of a new token for its confirmation, so only a look at a token
      // from the vault, which has used it already, replaces the token of the same session.
      if let grant = answer.grant ?? answer.found ?? nil,
        grant.id != state.session?.id || request.traits.effect == .read
      {
        state.session = grant
      }
      return answer
    }
  }

  private func verdict(_ fault: ServiceFault, _ request: BackendRequest) -> BackendError {
    if request.traits.effect == .read { return fault.failure(at: address.place) }
    let service = "the service at \(address.place.escaped)"
    if case .pay(let order, _) = request, let key = order.key {
      return .unavailable(.outcomeUnknown, service, fault.reason, "--idempotency-key \(key)")
    }
    return .unavailable(.outcomeUnknown, service, fault.reason)
  }

  private func connected(_ state: inout State) throws(BackendError) -> ServiceLink {
    if let link = state.link, !link.isOver { return link }
    state.link = nil
    let mayAsk = limits.isInteractive && isatty(STDIN_FILENO) == 1
    let (link, hello, place) = try Dialling(address: address, limits: limits, mayAsk: mayAsk).connect()
    if let before = self.hello?.database, before != hello.database { throw otherDatabase(before.escaped, hello) }
    state.link = link
    known.withLock { $0 = hello }
    reached.withLock { $0 = place }
    hear(hello.now)
    return link
  }

  private func form(_ hello: ServiceHello?) -> TokenForm {
    TokenForm(database: hello.flatMap { Hex.bytes(Array($0.database.utf8)) } ?? [])
  }

  private func otherDatabase(_ known: String, _ hello: ServiceHello?) -> BackendError {
    .unavailable(.sessionOfOtherDatabase, known, address.place.escaped, hello?.database.escaped ?? "unknown")
  }

  /// A frame for the service that said this; refused where a token is another database's.
  func encoded(_ frame: ClientFrame, for hello: ServiceHello?) throws(BackendError) -> [UInt8] {
    do throws(WireFault) {
      return try frame.encoded(for: form(hello))
    } catch .foreignToken(let database) {
      throw otherDatabase(Hex.text(database), hello)
    } catch {
      throw .unavailable(.requestTooLong, error.description)
    }
  }

  private func answer(
    to frame: [UInt8], _ number: UInt32, _ request: BackendRequest, _ link: ServiceLink
  ) throws(ServiceFault) -> Result<BackendAnswer, BackendError> {
    let deadline = AnswerDeadline(in: request.traits.work == .hashes ? limits.hashing : limits.answer)
    try link.send(frame, until: deadline)
    switch try link.receive(for: form(hello), until: deadline) {
    case .answer(number, let now, let answer):
      hear(now)
      return .success(answer)
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

extension Receipt {
  /// Begins the keys that a client draws for payments without one.
  static let drawnKeys = "auto-"
  static let drawnLength = 20

  /// The receipt as the payment was asked for: without a key that was drawn to send it safely.
  var withoutDrawnKey: Receipt {
    guard let key, key.hasPrefix(Self.drawnKeys), key.utf8.count == Self.drawnKeys.utf8.count + Self.drawnLength
    else { return self }
    return Receipt(id: id, payer: payer, payee: payee, amount: amount, madeAt: madeAt, key: nil)
  }
}
