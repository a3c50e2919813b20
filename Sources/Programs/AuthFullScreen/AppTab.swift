import AuthCore

/// The tabs of the full-screen program, in the order of their numbers.
package enum AppTab: String, Sendable, CaseIterable {
  case home, pay, receipts, profile, sessions, events, contexts, machine, accounts

  /// The title on the tab and in the navigation bar.
  var title: String { rawValue.prefix(1).uppercased() + rawValue.dropFirst() }

  /// Whether the backend filters its list.
  var isFilteredByBackend: Bool { [.receipts, .events, .accounts].contains(self) }

  /// Whether its screen needs a session.
  package var isGuarded: Bool { ![.home, .contexts, .machine].contains(self) }

  /// The tabs at a database.
  ///
  /// Administrators also have the accounts.
  static func atDatabase(_ role: Role?) -> [AppTab] {
    [.home, .pay, .receipts, .profile, .sessions, .events, .machine] + (role == .administrator ? [.accounts] : [])
  }

  /// The tabs at an identity provider, which has nothing that needs a ledger.
  static let atProvider: [AppTab] = [.home, .profile, .contexts, .machine]
}
