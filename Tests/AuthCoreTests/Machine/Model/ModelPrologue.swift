@testable import AuthCore

/// A path to the start of an exploration, because its end takes many steps to reach.
struct ModelPrologue {
  /// A step, or a choice for the last effect of a kind that permits it.
  enum Move {
    case command(SessionCommand, user: UInt8 = 0)
    case timeOut
    case stranger(ModelStep.Stranger)
    case on(Effect.Kind, ModelChoice)
  }

  let words: String
  let moves: [Move]
  var launch = ModelWorld.withSession

  /// The world at the end, or nil if a mutant does not reach it.
  func play(_ budget: ModelBudget, _ handle: @escaping ModelJudge.Machine) -> ModelWorld? {
    var world = launch
    let judge = ModelJudge(handle)
    var script = [world.prologue]
    for move in moves {
      guard let step = step(move, in: world) else { return nil }
      script += world.takeInWords(step, judge)
      guard judge.violation == nil else { return nil }
    }
    world.prologue = (script + ["(\(words))"]).joined(separator: "\n")
    return world.limited(to: budget)
  }

  private func step(_ move: Move, in world: ModelWorld) -> ModelStep? {
    switch move {
    case .command(let command, let user): return .command(command, user: user)
    case .timeOut: return .timeOut
    case .stranger(let stranger): return .stranger(stranger)
    case .on(let kind, let choice):
      let index = world.works.indices.last { index in
        world.works[index].effect.kind == kind && world.choices(index).contains { $0 == choice }
      }
      return index.map { .work(UInt8($0), choice) }
    }
  }

  /// The ends of all prologues that the machine reaches.
  static func sessions(_ budget: ModelBudget, _ handle: @escaping ModelJudge.Machine) -> [ModelWorld] {
    all.compactMap { $0.play(budget, handle) }
  }

  // MARK: The prologues

  private static let restored: [Move] = [
    .command(.restore), .on(.read, .done), .on(.read, .done), .on(.read, .arrives),
  ]
  private static let renewing: [Move] = restored + [.command(.renew)]
  private static let renewed: [Move] = renewing + [.on(.renew, .exchanged)]
  private static let exchanging: [Move] =
    restored + [.command(.reauthenticate), .on(.reauthenticate, .done), .on(.reauthenticate, .arrives)]
  private static let switching: [Move] =
    restored + [.command(.switchUser, user: 1), .on(.authenticate, .done), .on(.authenticate, .arrives)]
  private static let challenged: [Move] = [
    .command(.logIn), .on(.authenticate, .challenged), .on(.authenticate, .arrives),
  ]
  private static let challengedInSession: [Move] =
    restored + [.command(.reauthenticate), .on(.reauthenticate, .challenged), .on(.reauthenticate, .arrives)]
  private static let challengedSwitch: [Move] =
    restored + [.command(.switchUser, user: 1), .on(.authenticate, .challenged), .on(.authenticate, .arrives)]
  private static let loggedInOverReading: [Move] = [.command(.restore), .on(.read, .done)] + login(0)

  private static func login(_ user: UInt8) -> [Move] {
    [
      .command(.logIn, user: user), .on(.authenticate, .done), .on(.authenticate, .arrives), .on(.save, .done),
      .on(.save, .arrives),
    ]
  }

  private static let logout: [Move] = [
    .command(.logOut), .on(.drain, .arrives), .on(.revoke, .done), .on(.revoke, .arrives), .on(.erase, .done),
    .on(.erase, .arrives),
  ]

  /// A logout whose steps all exceeded their time limit, and another that ignored them.
  private static func lateLogout(tokens: Int = 1) -> [Move] {
    [.command(.logOut), .timeOut, .timeOut, .timeOut, .command(.logOut), .on(.drain, .arrives)]
      + Array(repeating: .on(.revoke, .done), count: tokens)
      + [.on(.revoke, .arrives), .on(.erase, .done), .on(.erase, .done), .on(.erase, .arrives)]
  }

  private static let abandonedReading: [Move] = [
    .command(.logOut), .on(.drain, .arrives), .on(.forget, .done), .on(.forget, .arrives),
  ]
  private static let abandonedLogin: [Move] = [.command(.logIn, user: 1)] + abandonedReading

  static let all = [
    ModelPrologue(words: "alice was restored", moves: restored),
    ModelPrologue(
      words: "alice's session was ended elsewhere, and she is renewed",
      moves: restored + [.stranger(.revokes), .command(.renew), .on(.renew, .done)]),
    ModelPrologue(
      words: "another process exchanged alice's token, and she is renewed",
      moves: restored + [.stranger(.renews), .command(.renew), .on(.renew, .done)]),
    ModelPrologue(
      words: "another process logged alice out, and the vault is checked",
      moves: restored + [.stranger(.logsOut), .command(.check), .on(.read, .done)]),
    ModelPrologue(
      words: "another process logged bob in after alice, and the vault is checked",
      moves: login(0) + [.stranger(.logsIn), .command(.check), .on(.read, .done)], launch: ModelWorld()),
    ModelPrologue(
      words: "alice logged out, nothing came back, and she logged out again over a login",
      moves: restored + [
        .command(.logOut), .timeOut, .timeOut, .timeOut, .command(.logIn), .command(.logOut), .on(.drain, .arrives),
        .on(.revoke, .done),
      ]),
    ModelPrologue(
      words: "alice logged out and in, and her token is to be kept",
      moves: restored + logout + [.command(.logIn), .on(.authenticate, .done), .on(.authenticate, .arrives)]),
    ModelPrologue(
      words: "alice logged out over the failed keeping of a new token",
      moves: exchanging + [.on(.exchange, .failed)] + lateLogout(tokens: 2)),
    ModelPrologue(
      words: "alice logged out over the failed keeping of a new token, and is asked for a second step",
      moves: exchanging + [.on(.exchange, .failed)] + lateLogout(tokens: 2) + challenged),
    ModelPrologue(
      words: "alice logged out over a renewal that was granted, and is asked for a second step",
      moves: renewed + lateLogout() + challenged),
    ModelPrologue(
      words: "alice was asked for a second step, logged out before she knew, and is asked again",
      moves: [.command(.logIn), .on(.authenticate, .challenged)] + abandonedReading + challenged,
      launch: ModelWorld(ModelBudget(challenges: 2))),
    ModelPrologue(words: "alice entered her password again, and the new token is to be kept", moves: exchanging),
    ModelPrologue(words: "bob is to take the place of alice, and his token is to be kept", moves: switching),
    ModelPrologue(
      words: "bob's token took the place of alice's, who is being logged out",
      moves: switching + [.on(.exchange, .done), .on(.exchange, .arrives)]),
    ModelPrologue(words: "alice is asked for a second step", moves: challenged, launch: ModelWorld()),
    ModelPrologue(
      words: "alice answered the second step", moves: challenged + [.command(.answer)], launch: ModelWorld()),
    ModelPrologue(
      words: "alice is asked for a second step while the vault is being read",
      moves: [.command(.restore), .on(.read, .done)] + challenged, launch: ModelWorld()),
    ModelPrologue(
      words: "alice logged out over a renewal, the logout was repeated because nothing came back, and she is asked for "
        + "a second step",
      moves: renewing + lateLogout() + challenged),
    ModelPrologue(
      words: "alice logged out over the keeping of a new token, the logout was repeated, and she is asked for a second "
        + "step",
      moves: exchanging + [.on(.exchange, .done)] + lateLogout(tokens: 2) + challenged),
    ModelPrologue(
      words: "alice logged out while the authority asked for a second step of her password",
      moves: restored + [.command(.reauthenticate), .on(.reauthenticate, .challenged)] + logout),
    ModelPrologue(
      words: "alice logged out while the authority asked for a second step of her password, and in",
      moves: restored + [.command(.reauthenticate), .on(.reauthenticate, .challenged)] + logout + login(0)),
    ModelPrologue(
      words: "alice logged out while the authority asked for a second step of her password, and is asked at a login",
      moves: restored + [.command(.reauthenticate), .on(.reauthenticate, .challenged)] + logout + challenged,
      launch: ModelWorld.withSession.limited(to: ModelBudget(challenges: 2))),
    ModelPrologue(words: "alice is asked for a second step of her password", moves: challengedInSession),
    ModelPrologue(
      words: "alice answered the second step of her password", moves: challengedInSession + [.command(.answer)]),
    ModelPrologue(words: "bob is asked for a second step to take the place of alice", moves: challengedSwitch),
    ModelPrologue(
      words: "bob answered the second step to take the place of alice", moves: challengedSwitch + [.command(.answer)]),
    ModelPrologue(words: "alice logged in while the vault was being read", moves: loggedInOverReading),
    ModelPrologue(words: "alice logged in before the vault was read", moves: [.command(.restore)] + login(0)),
    ModelPrologue(
      words: "alice logged out before the vault was read, and another process logged bob in",
      moves: [.command(.restore)] + abandonedReading + [.stranger(.logsIn)], launch: ModelWorld()),
    ModelPrologue(
      words: "alice is asked for a second step before the vault is read", moves: [.command(.restore)] + challenged),
    ModelPrologue(
      words: "the authority could not be asked about alice, and another process logged bob in",
      moves: [
        .command(.restore), .on(.read, .done), .on(.read, .refused), .on(.read, .arrives), .stranger(.logsIn),
        .command(.restore),
      ]),
    ModelPrologue(
      words: "somebody logged out while the empty vault was being read",
      moves: [.command(.restore), .on(.read, .done)] + abandonedReading, launch: ModelWorld()),
    ModelPrologue(
      words: "bob logged out while his login was under way", moves: abandonedLogin, launch: ModelWorld()),
    ModelPrologue(
      words: "bob logged out while his login was under way, and logged in",
      moves: abandonedLogin + login(1), launch: ModelWorld()),
    ModelPrologue(words: "alice logged out, and bob in", moves: restored + logout + login(1)),
    ModelPrologue(
      words: "alice logged out over a renewal, and the logout was repeated because nothing came back",
      moves: renewing + lateLogout()),
    ModelPrologue(
      words: "alice logged out over a renewal, the logout was repeated because nothing came back, and bob logged in",
      moves: renewing + lateLogout() + login(1)),
    ModelPrologue(
      words: "alice logged out over a renewal that was granted, and the logout was repeated",
      moves: renewed + lateLogout()),
    ModelPrologue(
      words: "alice logged out over a renewal that was granted, the logout was repeated, and bob logged in",
      moves: renewed + lateLogout() + login(1)),
    ModelPrologue(
      words: "alice logged out over the keeping of a new token, and the logout was repeated because nothing came back",
      moves: exchanging + [.on(.exchange, .done)] + lateLogout(tokens: 2)),
    ModelPrologue(
      words: "alice logged out over the failed keeping of a new token, and bob logged in",
      moves: exchanging + [.on(.exchange, .failed)] + lateLogout(tokens: 2) + login(1)),
    ModelPrologue(
      words: "alice logged out over the keeping of a new token, the logout was repeated, and bob logged in",
      moves: exchanging + [.on(.exchange, .done)] + lateLogout(tokens: 2) + login(1)),
  ]
}
