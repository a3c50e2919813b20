@testable import AuthCore

// The start of explorations: one for each content that a vault may have at launch.
extension ModelWorld {
  /// A launch with each content of the vault.
  static func launches(_ budget: ModelBudget) -> [ModelWorld] {
    [ModelWorld(), withSession, unconfirmed, ended, superseded, corrupt].map { $0.limited(to: budget) }
  }

  private static func launch(
    _ vault: String, from start: ModelWorld = ModelWorld(), _ change: (inout ModelWorld) -> Void
  ) -> ModelWorld {
    var world = start
    change(&world)
    world.prologue = "launch, and \(vault)"
    return world
  }

  static let withSession = launch("the vault keeps the token of a session of alice") {
    $0.keep($0.authority.begin(for: 0))
  }
  private static let unconfirmed = launch("the vault keeps a token that was not confirmed", from: withSession) {
    $0.keep($0.authority.exchange(0))
  }
  private static let ended = launch("the vault keeps the token of a session that has ended", from: withSession) {
    $0.authority.end(0, .expired(.idle))
  }
  private static let superseded = launch(
    "the vault keeps a token that was exchanged for one that is lost", from: withSession
  ) {
    $0.authority.use($0.authority.exchange(0))
    $0.authority.excuse(0)
  }
  private static let corrupt = launch("what the vault keeps is damaged") { $0.vault.content = .corrupt }

  func limited(to budget: ModelBudget) -> ModelWorld {
    var world = self
    world.budget = budget
    return world
  }
}
