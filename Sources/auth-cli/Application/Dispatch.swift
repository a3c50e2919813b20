extension Program {
  /// Runs the body of a command: one file in `Commands/` for each.
  static func answer(
    _ request: Request, _ globals: GlobalOptions, _ printer: Printer
  ) async throws(Refusal) -> Answer {
    switch request {
    case .register(let user, let passwordFromInput):
      try await Workspace(globals, printer).register(user, passwordFromInput: passwordFromInput)
    case .logIn(let user, let switching, let idle, let absolute, let passwordFromInput):
      try await Workspace(globals, printer).logIn(
        user, switching: switching, idle: idle, absolute: absolute, passwordFromInput: passwordFromInput)
    case .logOut(let everywhere): try await Workspace(globals, printer).logOut(everywhere: everywhere)
    case .status: try await Workspace(globals, printer).status()
    case .reauthenticate(let passwordFromInput):
      try await Workspace(globals, printer).reauthenticate(passwordFromInput: passwordFromInput)
    case .home: try await Workspace(globals, printer).home()
    case .pay(let minorUnits, let payee, let key):
      try await Workspace(globals, printer).pay(minorUnits, to: payee, key: key)
    case .receipts(let limit, let before): try await Workspace(globals, printer).receipts(limit: limit, before: before)
    case .profile(let newName): try await Workspace(globals, printer).profile(newName: newName)
    case .sessions, .revokeSession, .changePassword, .listAccounts, .showAccount, .disableAccount, .enableAccount,
      .unlockAccount, .events, .watch, .machine:
      throw Refusal(.cannotTell, "x", "x", hint: "x")
    case .help, .manual, .completions: Answer()
    }
  }
}
