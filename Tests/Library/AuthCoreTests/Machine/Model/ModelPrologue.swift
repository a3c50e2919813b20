@testable import AuthCore

/// A path to the start of an exploration, because its end takes many steps to reach.
struct ModelPrologue {
  enum Move {
    case command(SessionCommand, user: UInt8 = 0)
    case timeOut
    case leaseBegins
    case stranger(ModelStep.Stranger)
    /// A choice for the last effect of a kind that permits it.
    case on(Effect.Kind, ModelChoice)
  }

  let moves: [Move]
  let launch: ModelWorld

  private init(_ moves: [Move], from launch: ModelWorld = .withSession()) {
    self.moves = moves
    self.launch = launch
  }

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
    world.prologue = (script + ["(the prologue ends)"]).joined(separator: "\n")
    world.budget = budget
    return world
  }

  private func step(_ move: Move, in world: ModelWorld) -> ModelStep? {
    switch move {
    case .command(let command, let user): return .command(command, user: user)
    case .timeOut: return .timeOut
    case .leaseBegins: return .leaseBegins
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

  /// A choice for an effect, whose completion then arrives.
  private static func completed(_ kind: Effect.Kind, _ choice: ModelChoice = .done) -> [Move] {
    [.on(kind, choice), .on(kind, .arrives)]
  }

  /// A command whose effect completes.
  private static func after(
    _ command: SessionCommand, user: UInt8 = 0, _ kind: Effect.Kind, _ choice: ModelChoice = .done
  ) -> [Move] {
    [.command(command, user: user)] + completed(kind, choice)
  }

  private static let restored: [Move] = [.command(.restore), .on(.read, .done)] + completed(.read)
  private static let renewing: [Move] = restored + [.command(.session(.renew))]
  /// The new token of a password check is to be saved.
  private static let exchanging = restored + after(.session(.reauthenticate), .reauthenticate)
  /// The token of bob is to be saved in place of that of alice.
  private static let switching = restored + after(.session(.switchUser), user: 1, .authenticate)
  /// A session after another one, which callers may still name.
  private static let second = restored + logout + login(0)
  private static let challengedSecond = second + after(.session(.reauthenticate), .reauthenticate, .challenged)
  private static let challenged = after(.logIn, .authenticate, .challenged)
  private static let challengedPassword = restored + after(.session(.reauthenticate), .reauthenticate, .challenged)
  private static let challengedSwitch = restored + after(.session(.switchUser), user: 1, .authenticate, .challenged)
  /// The challenge of a password check that has not arrived.
  private static let lateChallenge: [Move] =
    restored + [.command(.session(.reauthenticate)), .on(.reauthenticate, .challenged)]

  /// A logout that could not wait for a lease.
  private static let lingering: [Move] =
    restored + [.leaseBegins, .command(.logOut), .timeOut, .timeOut, .timeOut]

  private static func login(_ user: UInt8) -> [Move] {
    after(.logIn, user: user, .authenticate) + completed(.save)
  }

  private static let logout: [Move] =
    [.command(.logOut), .on(.drain, .arrives)] + completed(.revoke) + completed(.erase)

  /// A logout whose steps all exceeded their time limit, and another that ignored them.
  private static func lateLogout(tokens: Int = 1) -> [Move] {
    [.command(.logOut), .timeOut, .timeOut, .timeOut, .command(.logOut), .on(.drain, .arrives)]
      + Array(repeating: .on(.revoke, .done), count: tokens)
      + [.on(.revoke, .arrives), .on(.erase, .done)] + completed(.erase)
  }

  /// Logouts that leave a token in the vault which is not the known one.
  private static let unfinished: [Move] =
    restored + [.command(.logOut), .on(.drain, .arrives)] + completed(.revoke) + completed(.erase, .failed)
    + after(.logIn, user: 1, .authenticate) + [.command(.logOut)] + completed(.save)
    + [.on(.discardSaved, .failed), .on(.discardSaved, .done), .on(.drain, .arrives)]
    + completed(.revoke) + completed(.forget, .failed)

  /// A read of the vault whose result has not arrived.
  private static let reading: [Move] = [.command(.restore), .on(.read, .done)]

  static let all =
    [
      // The session was restored, and another process changes it.
      ModelPrologue(restored),
      ModelPrologue(restored + [.stranger(.revokes), .command(.session(.renew)), .on(.renew, .done)]),
      ModelPrologue(restored + [.stranger(.renews), .command(.session(.renew)), .on(.renew, .done)]),
      ModelPrologue(
        login(0) + [.stranger(.logsIn), .command(.session(.check)), .on(.read, .done)], from: ModelWorld()),
      ModelPrologue(restored + [.stranger(.replaces), .command(.session(.check)), .on(.read, .done)]),
      ModelPrologue(restored + [.stranger(.replacesAndEnds), .command(.session(.check)), .on(.read, .done)]),

      // A check of a session that has an access token, which the answer lacks.
      ModelPrologue(login(0) + [.command(.session(.check)), .on(.read, .done)], from: ModelWorld()),

      // A new token is to be saved.
      ModelPrologue(exchanging),
      ModelPrologue(switching),
      ModelPrologue(switching + completed(.exchange)),
      ModelPrologue(restored + logout + after(.logIn, .authenticate)),

      // The authority requires a second step.
      ModelPrologue(challengedPassword + [.command(.answer)]),
      ModelPrologue(challengedSwitch),
      ModelPrologue(challengedSwitch + [.command(.answer)]),
      ModelPrologue(challengedPassword + after(.session(.renew), .renew, .exchanged)),
      ModelPrologue(challengedPassword + [.stranger(.revokes), .command(.session(.renew)), .on(.renew, .done)]),
      ModelPrologue(challengedSwitch + [.command(.session(.check))]),
      ModelPrologue(lateChallenge + logout + challenged, from: .withSession(ModelBudget(challenges: 2))),

      // A caller names the session before the present one.
      ModelPrologue(challengedSecond),
      ModelPrologue(challengedSecond + [.command(.session(.renew))]),
      ModelPrologue(challengedSecond + [.command(.session(.check))]),

      // Something happens while the vault is read.
      ModelPrologue(reading + challenged, from: ModelWorld()),
      ModelPrologue(reading + login(0)),
      ModelPrologue(
        reading + [.command(.logOut), .on(.drain, .arrives)] + completed(.forget), from: ModelWorld()),
      ModelPrologue(reading + completed(.read, .refused) + [.stranger(.logsIn), .command(.restore)]),

      // A logout that could not erase, and another one during a login whose token could not be
      // taken back.
      ModelPrologue(
        unfinished + [.command(.logOut), .on(.drain, .arrives)] + completed(.revoke),
        from: .withSession(ModelBudget(faults: 3))),

      // An answer comes late, after a logout, or during the next attempt.
      ModelPrologue(
        [.command(.logIn), .on(.authenticate, .done), .command(.logOut), .on(.drain, .arrives)] + completed(.forget),
        from: ModelWorld()),
      ModelPrologue(
        restored + [.command(.session(.switchUser), user: 1), .timeOut, .on(.authenticate, .done)]
          + [.command(.session(.switchUser), user: 1)]),

      // The store is released while a login from another state than the first is under way.
      ModelPrologue(restored + logout + [.command(.logIn), .on(.authenticate, .challenged)]),

      // A lease runs on after a logout that could not wait for it.
      ModelPrologue(lingering),
      ModelPrologue(lingering + challenged),

      // A logout overtakes other work, or another logout follows it.
      ModelPrologue(
        restored + [.command(.logOut), .timeOut, .timeOut, .timeOut, .command(.logIn), .command(.logOut)]
          + [.on(.drain, .arrives), .on(.revoke, .done)]),
      ModelPrologue(renewing + lateLogout()),
      ModelPrologue(renewing + lateLogout() + login(1)),
    ]
    + [ModelChoice.failed, .done].flatMap { choice in
      [login(1), challenged].map { next in
        ModelPrologue(exchanging + [.on(.exchange, choice)] + lateLogout(tokens: 2) + next)
      }
    }
}
