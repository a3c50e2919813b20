/// The tabs of the full-screen program, in the order of their numbers; the last is for
/// administrators.
enum AppTab: String, Sendable, CaseIterable {
  case home, pay, receipts, profile, sessions, events, machine, accounts

  /// What the tab and the bar say.
  var title: String { rawValue.prefix(1).uppercased() + rawValue.dropFirst() }

  /// Whether the backend filters its list.
  var isFilteredByBackend: Bool { [.receipts, .events, .accounts].contains(self) }

  /// Whether its screen cannot be made without a session.
  var isGuarded: Bool { ![.home, .machine].contains(self) }
}
