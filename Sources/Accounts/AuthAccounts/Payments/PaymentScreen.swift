public import AuthCore
import Guards

/// The screen that pays.
///
/// It cannot be created without a key, and a payment that it prepared can be submitted once.
///
/// ```swift
/// import AuthAccounts
/// import AuthCore
///
/// func pay(_ store: SessionStore, _ backend: any Backend) async throws {
///   guard let screen = store.open(PaymentScreen.self) else { return }
///   let order = PaymentOrder(amount: try Amount("12.50"), payee: try Username("bob"))
///   let intent = try screen.prepare(order, at: backend)
///   let receipt = try await screen.submit(intent)
///   print(receipt.id)
/// }
/// ```
public final class PaymentScreen: GuardedScreen, Sendable {
  private let key: LiveKey
  private let submitting = Gatekeeper<Bool>()

  /// Creates the screen for the user of the key.
  public init(session: LoggedInSession) {
    key = LiveKey(session)
  }

  /// The key of the session, with the latest user.
  public var session: LoggedInSession { key.session }

  /// Why the screen was dismissed, or nil while it is open.
  public var dismissal: EndReason? { key.dismissal }

  /// Adopts the updated user.
  public func follow(_ session: LoggedInSession) { key.follow(session) }

  /// Closes the screen.
  public func dismiss(_ reason: EndReason) { key.dismiss(reason) }

  /// Prepares a payment, which is made when it is submitted.
  ///
  /// - Throws: ``AuthCore/FreshnessError`` when the password was not entered recently.
  public func prepare(
    _ order: PaymentOrder, at backend: any Backend
  ) throws(FreshnessError) -> PaymentIntent {
    backend.prepare(order, for: try FreshSession(session))
  }

  /// Pays, under a lease: a logout waits for the payment, or the payment never starts.
  ///
  /// - Throws: `LeaseError.ended` when the session has ended, `LeaseError.body` with the error of
  ///   the backend; its code is ``BackendError/Code/paymentInProgress`` while another payment of
  ///   this screen is under way. This call paid nothing.
  public func submit(_ intent: consuming PaymentIntent) async throws(LeaseError<BackendError>) -> Receipt {
    // One payment of this screen at a time. The passage ends with this scope, whatever happens.
    guard let passage = submitting.acquire() else { throw .body(.refused(.paymentInProgress)) }
    let receipt = try await session.withLease(using: intent) {
      (intent: consuming PaymentIntent, lease: borrowing SessionLease) async throws(BackendError) in
      try await intent.submit(under: lease)
    }
    passage.leave()
    return receipt
  }
}
