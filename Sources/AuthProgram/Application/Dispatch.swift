extension Program {
  /// Runs the body of a command: one file in `Commands/` for each.
  func answer(
    _ request: Request, _ globals: GlobalOptions, _ printer: Printer
  ) async throws(CommandError) -> Answer {
    switch request {
    case .register(let user, let passwordFromInput):
      try await Workspace(globals, printer, makeBackend).register(user, passwordFromInput: passwordFromInput)
    case .logIn(let user, let switching, let idle, let absolute, let passwordFromInput):
      try await Workspace(globals, printer, makeBackend).logIn(
        user, switching: switching, idle: idle, absolute: absolute, passwordFromInput: passwordFromInput)
    case .logOut(let everywhere): try await Workspace(globals, printer, makeBackend).logOut(everywhere: everywhere)
    case .status: try await Workspace(globals, printer, makeBackend).status()
    case .reauthenticate(let passwordFromInput):
      try await Workspace(globals, printer, makeBackend).reauthenticate(passwordFromInput: passwordFromInput)
    case .home: try await Workspace(globals, printer, makeBackend).home()
    case .pay(let amount, let payee, let key):
      try await Workspace(globals, printer, makeBackend).pay(amount, to: payee, key: key)
    case .receipts(let limit, let before):
      try await Workspace(globals, printer, makeBackend).receipts(limit: limit, before: before)
    case .profile(let newName): try await Workspace(globals, printer, makeBackend).profile(newName: newName)
    case .sessions: try await Workspace(globals, printer, makeBackend).sessions()
    case .revokeSession(let id): try await Workspace(globals, printer, makeBackend).revokeSession(id)
    case .changePassword(let passwordsFromInput):
      try await Workspace(globals, printer, makeBackend).changePassword(passwordsFromInput: passwordsFromInput)
    case .listAccounts(let limit, let after):
      try await Workspace(globals, printer, makeBackend).listAccounts(limit: limit, after: after)
    case .showAccount(let user): try await Workspace(globals, printer, makeBackend).showAccount(user)
    case .disableAccount(let user): try await Workspace(globals, printer, makeBackend).changeAccount(.disable, user)
    case .enableAccount(let user): try await Workspace(globals, printer, makeBackend).changeAccount(.enable, user)
    case .unlockAccount(let user): try await Workspace(globals, printer, makeBackend).changeAccount(.unlock, user)
    case .events(let since, let limit, let before):
      try await Workspace(globals, printer, makeBackend).events(since: since, limit: limit, before: before)
    case .watch(let until): try await Workspace(globals, printer, makeBackend, onlyLooks: true).watch(until: until)
    case .machine(let format): Self.machine(format, printer)
    case .help, .manual, .completions: Answer(.onlyShows)
    }
  }
}
