import AuthCore

extension EndReason {
  /// The reason as it is stored and as events show it.
  var stored: String {
    switch self {
    case .userAsked: "user_asked"
    case .expired(.idle): "expired_idle"
    case .expired(.absolute): "expired_absolute"
    case .revoked: "revoked"
    case .accountDisabled: "account_disabled"
    case .rebooted: "rebooted"
    case .switchedUser: "switched_user"
    case .storeReleased: "store_released"
    }
  }

  static let every: [EndReason] = [
    .userAsked, .expired(.idle), .expired(.absolute), .revoked, .accountDisabled, .rebooted, .switchedUser,
    .storeReleased,
  ]

  init?(stored: String) {
    guard let reason = Self.every.first(where: { $0.stored == stored }) else { return nil }
    self = reason
  }
}
