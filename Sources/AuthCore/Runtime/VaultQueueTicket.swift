/// A place in the line before the vault.
///
/// It is taken in the step that decides the operation, under the same lock, so that changes reach the vault in the order in which
/// they were decided, whichever thread comes first. A look waits for the changes before it and keeps nobody waiting: what it finds is
/// fenced by its epoch, so a slow one must not hold up a login.
struct VaultQueueTicket: Sendable {
  let previous: Promise<Void>?
  /// Kept when the operation is done; nil for a look.
  let mine: Promise<Void>?

  /// Takes the ticket that the effects need.
  static func take(for effects: Effects, _ last: inout Promise<Void>?) -> VaultQueueTicket? {
    if effects.contains(where: \.changesVault) { return change(&last) }
    return effects.contains(where: \.looksIntoVault) ? look(last) : nil
  }

  /// Takes a ticket for a change.
  static func change(_ last: inout Promise<Void>?) -> VaultQueueTicket {
    let mine = Promise<Void>()
    defer { last = mine }
    return VaultQueueTicket(previous: last, mine: mine)
  }

  /// Takes a ticket for a look.
  static func look(_ last: Promise<Void>?) -> VaultQueueTicket {
    VaultQueueTicket(previous: last, mine: nil)
  }

  /// Waits for those before, runs `operation`, and lets the next one in.
  func run<Result>(_ operation: () async -> Result) async -> Result {
    if let previous { await previous.valueUncancelled() }
    defer { mine?.fulfil(()) }
    return await operation()
  }
}

extension Effect {
  var changesVault: Bool {
    switch self {
    case .save, .exchange, .erase, .forget, .discardSaved: true
    case .read, .authenticate, .reauthenticate, .renew, .drain, .revoke, .confirm, .closeKeys, .discard, .notify: false
    }
  }

  var looksIntoVault: Bool {
    switch self {
    case .read: true
    case .authenticate, .reauthenticate, .renew, .save, .exchange, .drain, .revoke, .erase, .forget, .confirm,
      .closeKeys, .discard, .discardSaved, .notify:
      false
    }
  }
}
