/// What this device keeps, as the protocol of a vault promises it.
struct ModelVault {
  enum Content: Equatable {
    case empty
    case token(UInt8)
    case corrupt
  }

  /// Why memory and disk may differ.
  enum Difference: UInt8 {
    /// They may not.
    case none
    /// Another process, or a person, has changed what is kept.
    case foreign
    /// A write that nobody waits for failed.
    case unreported
  }

  var content = Content.empty
  var difference = Difference.none

  var token: UInt8? {
    switch content {
    case .token(let token): token
    case .empty, .corrupt: nil
    }
  }
}

/// The gate of the session that is live or is being ended.
struct ModelGate {
  var isOpen = true
  var leases: UInt8 = 0
}

/// What bounds an exploration: how much of what is rare may still happen on a path, and how much at
/// once.
struct ModelBudget: Hashable {
  /// Logins and switches.
  var logins: UInt8 = 2
  var faults: UInt8 = 1
  var strangers: UInt8 = 1
  var crashes: UInt8 = 1
  /// Second steps that the authority asks for.
  var challenges: UInt8 = 1
  /// Leases that run at once.
  var leases: UInt8 = 2
  /// Effects under way before commands other than `logOut` have to wait.
  var work: UInt8 = 4
}
