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
    case .pay(let amount, let payee, let key):
      try await Workspace(globals, printer).pay(amount, to: payee, key: key)
    case .receipts(let limit, let before): try await Workspace(globals, printer).receipts(limit: limit, before: before)
    case .profile(let newName): try await Workspace(globals, printer).profile(newName: newName)
    case .sessions: try await Workspace(globals, printer).sessions()
    case .revokeSession(let id): try await Workspace(globals, printer).revokeSession(id)
    case .changePassword(let passwordsFromInput):
      try await Workspace(globals, printer).changePassword(passwordsFromInput: passwordsFromInput)
    case .listAccounts(let limit, let after):
      try await Workspace(globals, printer).listAccounts(limit: limit, after: after)
    case .showAccount(let user): try await Workspace(globals, printer).showAccount(user)
    case .disableAccount(let user): try await Workspace(globals, printer).changeAccount(.disable, user)
    case .enableAccount(let user): try await Workspace(globals, printer).changeAccount(.enable, user)
    case .unlockAccount(let user): try await Workspace(globals, printer).changeAccount(.unlock, user)
    case .events(let since, let limit, let before):
      try await Workspace(globals, printer).events(since: since, limit: limit, before: before)
    case .watch(let until): try await Workspace(globals, printer, onlyLooks: true).watch(until: until)
    case .machine(let format): machine(format, printer)
    case .help, .manual, .completions: Answer(.onlyShows)
    }
  }
}
