/// The tabs of the full-screen program, in the order of their numbers; the last is for
/// administrators.
enum AppTab: Int, Sendable, CaseIterable {
  case home, pay, receipts, profile, sessions, events, machine, accounts

  /// What the tab and the bar say.
  var title: String {
    switch self {
    case .home: "Home"
    case .pay: "Pay"
    case .receipts: "Receipts"
    case .profile: "Profile"
    case .sessions: "Sessions"
    case .events: "Events"
    case .machine: "Machine"
    case .accounts: "Accounts"
    }
  }

  /// Whether the backend filters its list.
  var isFilteredByBackend: Bool {
    switch self {
    case .receipts, .events, .accounts: true
    case .home, .pay, .profile, .sessions, .machine: false
    }
  }

  /// Whether its screen cannot be made without a session.
  var isGuarded: Bool {
    switch self {
    case .home, .machine: false
    case .pay, .receipts, .profile, .sessions, .events, .accounts: true
    }
  }
}
