/// A place in the line before the vault.
///
/// It is taken in the step that decides the operation, under the same lock, so that writes reach the vault in the order in which
/// they were decided, whichever thread comes first.
struct VaultTurn: Sendable {
  let previous: Promise<Void>?
  let mine: Promise<Void>

  /// Takes a turn if one of the effects needs the vault.
  static func take(for effects: Effects, _ last: inout Promise<Void>?) -> VaultTurn? {
    effects.contains(where: \.needsVault) ? take(&last) : nil
  }

  /// Takes a turn.
  static func take(_ last: inout Promise<Void>?) -> VaultTurn {
    let mine = Promise<Void>()
    defer { last = mine }
    return VaultTurn(previous: last, mine: mine)
  }

  /// Waits for those before, runs `operation`, and lets the next one in.
  func run<Result>(_ operation: () async -> Result) async -> Result {
    if let previous { await previous.valueUncancelled() }
    defer { mine.fulfil(()) }
    return await operation()
  }
}

extension Effect {
  var needsVault: Bool {
    switch self {
    case .read, .save, .exchange, .erase, .forget, .discardSaved: true
    case .authenticate, .reauthenticate, .renew, .drain, .revoke, .confirm, .closeKeys, .discard, .notify: false
    }
  }
}
