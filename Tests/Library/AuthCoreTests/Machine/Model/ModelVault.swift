/// The vault of this device, which behaves as its protocol requires.
struct ModelVault {
  enum Content: Hashable {
    case empty
    case token(UInt8)
    case corrupt
  }

  /// Why memory and disk may differ.
  enum Difference {
    /// They may not differ.
    case none
    /// Another process or a user has changed the content.
    case foreign
    /// A write for which no caller waits has failed.
    case unreported
  }

  var content = Content.empty
  var difference = Difference.none

  var token: UInt8? { if case .token(let token) = content { token } else { nil } }
}

/// The gate of the active or ending session.
struct ModelGate: Hashable {
  var isOpen = true
  var leases: UInt8 = 0
}

/// The bounds of an exploration: how often rare things may still happen on a path, and how many
/// simultaneously.
struct ModelBudget: Hashable {
  /// Logins and switches.
  var logins: UInt8 = 2
  var faults: UInt8 = 1
  var strangers: UInt8 = 1
  var crashes: UInt8 = 1
  /// Second steps that the authority requires.
  var challenges: UInt8 = 1
  var releases: UInt8 = 1
  /// Simultaneous leases.
  var leases: UInt8 = 2
  /// The number of effects under way above which commands other than `logOut` must wait.
  var work: UInt8 = 4
}
