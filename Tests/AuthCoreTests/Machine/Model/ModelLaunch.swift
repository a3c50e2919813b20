@testable import AuthCore

// The start of explorations: one for each content that a vault may have at launch.
extension ModelWorld {
  /// A launch with each content of the vault.
  static func launches(_ budget: ModelBudget) -> [ModelWorld] {
    [ModelWorld(), withSession, unconfirmed, ended, superseded, corrupt].map { $0.limited(to: budget) }
  }

  static var withSession: ModelWorld {
    var world = ModelWorld()
    world.keep(world.authority.begin(for: 0))
    world.prologue = "launch, and the vault keeps the token of a session of alice"
    return world
  }

  private static var unconfirmed: ModelWorld {
    var world = withSession
    world.keep(world.authority.exchange(0))
    world.prologue = "launch, and the vault keeps a token that was not confirmed"
    return world
  }

  private static var ended: ModelWorld {
    var world = withSession
    world.authority.end(0, .expired(.idle))
    world.prologue = "launch, and the vault keeps the token of a session that has ended"
    return world
  }

  private static var superseded: ModelWorld {
    var world = withSession
    world.authority.use(world.authority.exchange(0))
    world.authority.excuse(0)
    world.prologue = "launch, and the vault keeps a token that was exchanged for one that is lost"
    return world
  }

  private static var corrupt: ModelWorld {
    var world = ModelWorld()
    world.vault.content = .corrupt
    world.prologue = "launch, and what the vault keeps is damaged"
    return world
  }

  func limited(to budget: ModelBudget) -> ModelWorld {
    var world = self
    world.budget = budget
    return world
  }
}
