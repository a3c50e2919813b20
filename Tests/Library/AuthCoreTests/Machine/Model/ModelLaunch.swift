@testable import AuthCore

// The start of explorations: one for each content that a vault may have at launch.
extension ModelWorld {
  /// A launch with each content of the vault.
  static func launches(_ budget: ModelBudget) -> [ModelWorld] {
    [
      ModelWorld(budget), withSession(budget),
      withSession(budget, "the vault keeps a token that was not confirmed") { $0.keep($0.authority.exchange(0)) },
      withSession(budget, "the vault keeps the token of a session that has ended") {
        $0.authority.end(0, .expired(.idle))
      },
      withSession(budget, "the vault keeps a token that was exchanged for one that is lost") {
        $0.authority.use($0.authority.exchange(0))
        $0.authority.excuse(0)
      },
      withSession(budget, "what the vault keeps is damaged") {
        $0.vault.content = .corrupt
        $0.authority.excuse(0)
      },
    ]
  }

  /// A launch after a session of alice and a change.
  static func withSession(
    _ budget: ModelBudget = ModelBudget(), _ vault: String = "the vault keeps the token of a session of alice",
    _ change: (inout ModelWorld) -> Void = { _ in }
  ) -> ModelWorld {
    var world = ModelWorld(budget)
    world.keep(world.authority.begin(for: 0))
    change(&world)
    world.prologue = "launch, and \(vault)"
    return world
  }
}
