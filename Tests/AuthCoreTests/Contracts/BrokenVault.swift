import AuthCore
import AuthCoreTesting

/// A vault that breaks one rule.
final class BrokenVault: SessionVault {
  enum Flaw: CaseIterable {
    case eraseOfNothingFails, storesOnce, cutsAtZero, replaceDoesNothing, replaceAlways, eraseAny, setsAsideAnything
    case loadHeals, overwritesCorrupt, saysNoPlace, replaceOverCorrupt, eraseOverCorrupt, manyWinners, forgets
    case keepsNone, displacesNothing, forgetsUser, keepsFirstUser
  }

  /// The token that the contract exchanges in many simultaneous calls.
  private static let zero = SessionToken(bytes: [0, 0, 10, 13, 34, 92, 255] + Array(repeating: 0, count: 25))

  let base: InMemoryVault
  let flaw: Flaw

  init(_ base: InMemoryVault, _ flaw: Flaw) {
    self.base = base
    self.flaw = flaw
  }

  private var isCorrupt: Bool {
    if case .corrupt = base.content { true } else { false }
  }

  func load() async -> VaultReading {
    let reading = await base.load()
    if flaw == .loadHeals, isCorrupt { base.content = .empty }
    return reading
  }

  func store(_ token: SessionToken, of user: LastKnownUser?) async throws(VaultError) -> VaultReading {
    let user = flaw == .forgetsUser ? nil : user
    let isFirst = !base.log.contains(.store)
    var displaced = await base.load()
    switch flaw {
    case .storesOnce where !isFirst: break
    case .overwritesCorrupt where isCorrupt: base.content = .token(token)
    case .cutsAtZero:
      displaced = try await base.store(SessionToken(bytes: token.bytes.prefix { $0 != 0 }.map(\.self)), of: user)
    case .keepsNone where base.log.count { $0 == .store } > 3: base.content = .empty
    case .displacesNothing:
      try await base.store(token, of: user)
      displaced = .absent
    default: displaced = try await base.store(token, of: user)
    }
    if flaw == .forgets, isFirst { base.content = .empty }
    return displaced
  }

  func replace(_ old: SessionToken, with new: SessionToken, of user: LastKnownUser?) async throws(VaultError) -> Bool {
    switch flaw {
    case .keepsFirstUser:
      guard case .token(_, let first) = await base.load() else { return false }
      return try await base.replace(old, with: new, of: first)
    case .replaceDoesNothing: return true
    case .replaceAlways:
      try await base.store(new, of: user)
      return true
    case .replaceOverCorrupt where isCorrupt:
      try await base.store(new, of: user)
      return false
    case .manyWinners:
      return try await base.replace(old, with: new, of: user) || base.content != .empty && old == Self.zero
    default: return try await base.replace(old, with: new, of: user)
    }
  }

  func erase(_ token: SessionToken) async throws(VaultError) {
    switch flaw {
    case .eraseOfNothingFails where base.content == .empty: throw VaultError("no such file")
    case .eraseAny: base.content = .empty
    case .eraseOverCorrupt where isCorrupt: base.content = .empty
    default: try await base.erase(token)
    }
  }

  func setAside() async throws(VaultError) -> String? {
    if flaw == .setsAsideAnything, base.content != .empty {
      base.content = .empty
      return "evidence"
    }
    let place = try await base.setAside()
    return flaw == .saysNoPlace ? nil : place
  }
}
