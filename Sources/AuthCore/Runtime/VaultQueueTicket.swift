import Guards

/// A place in the queue of operations on the vault.
///
/// The store takes it in the step that decides the operation, under the same lock, so that changes
/// reach the vault in the order of the decisions, whichever thread is first. A read waits for the
/// changes before it and blocks nobody: an epoch fences its result, so a slow read must not block a
/// login.
struct VaultQueueTicket: Sendable {
  let previous: Promise<Void>?
  /// Fulfilled when the operation is done; nil for a read.
  let mine: Promise<Void>?

  /// Takes the ticket that the effects need.
  static func take(for effects: [Effect], _ last: inout Promise<Void>?) -> VaultQueueTicket? {
    if effects.contains(where: { $0.vaultUse == .change }) { return change(&last) }
    return effects.contains { $0.vaultUse == .look } ? look(last) : nil
  }

  /// Takes a ticket for a change.
  static func change(_ last: inout Promise<Void>?) -> VaultQueueTicket {
    let mine = Promise<Void>()
    defer { last = mine }
    return VaultQueueTicket(previous: last, mine: mine)
  }

  /// Takes a ticket for a read.
  static func look(_ last: Promise<Void>?) -> VaultQueueTicket {
    VaultQueueTicket(previous: last, mine: nil)
  }

  /// Waits for the earlier ones, runs `operation`, and lets the next one start.
  func run<Result>(_ operation: () async -> Result) async -> Result {
    if let previous { await previous.valueUncancelled() }
    defer { mine?.fulfil(()) }
    return await operation()
  }
}

extension Effect {
  /// What an effect does with the vault.
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
