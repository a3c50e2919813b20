import ConcurrencyKit

/// A position in the queue of operations on the vault.
///
/// The store takes it in the step that decides the operation, under the same lock, so that changes
/// reach the vault in the order of the decisions, even if the threads run in another order. A read
/// waits for earlier changes but does not block later ones, because a slow read must not block a
/// login; its epoch makes a late result stale.
struct VaultQueueTicket: Sendable {
  let previous: Promise<Void>?
  /// Fulfilled when the operation is done; nil for a read.
  let mine: Promise<Void>?

  /// Takes a ticket for a use of the vault, after the last change.
  init(_ use: Effect.VaultUse, _ last: inout Promise<Void>?) {
    previous = last
    mine = use == .change ? Promise() : nil
    if let mine { last = mine }
  }

  /// Waits for the earlier operations, runs `operation`, and lets the next one start.
  func run<Result>(_ operation: () async -> Result) async -> Result {
    if let previous { await previous.valueUncancelled() }
    defer { mine?.fulfil(()) }
    return await operation()
  }
}

extension Effect {
  /// How an effect uses the vault.
  enum VaultUse: Comparable { case none, read, change }

  var vaultUse: VaultUse {
    switch self {
    case .read: .read
    case .save, .exchange, .erase, .forget, .discardSaved: .change
    case .authenticate, .reauthenticate, .answer, .renew, .drain, .revoke, .confirm, .closeKeys, .discard, .withdraw,
      .notify:
      .none
    }
  }
}
