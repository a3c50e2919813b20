import Guards

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

  /// Takes the ticket for the effects, if they use the vault.
  static func take(for effects: [Effect], _ last: inout Promise<Void>?) -> VaultQueueTicket? {
    if effects.contains(where: { $0.vaultUse == .change }) { return change(&last) }
    return effects.contains { $0.vaultUse == .look } ? look(last) : nil
  }

  static func change(_ last: inout Promise<Void>?) -> VaultQueueTicket {
    let mine = Promise<Void>()
    defer { last = mine }
    return VaultQueueTicket(previous: last, mine: mine)
  }

  /// Takes a ticket for a read.
  static func look(_ last: Promise<Void>?) -> VaultQueueTicket {
    VaultQueueTicket(previous: last, mine: nil)
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
  enum VaultUse { case none, look, change }

  var vaultUse: VaultUse {
    switch self {
    case .read: .look
    case .save, .exchange, .erase, .forget, .discardSaved: .change
    case .authenticate, .reauthenticate, .answer, .renew, .drain, .revoke, .confirm, .closeKeys, .discard, .withdraw,
      .notify:
      .none
    }
  }
}
