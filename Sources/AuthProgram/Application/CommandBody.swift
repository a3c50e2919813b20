import AuthMessages

/// What one command line asks for, with everything it says, and how to do it.
///
/// Every command is a type of this kind, in a file of `Commands/` with its declaration. What its
/// `run(in:)` takes says what it needs: the ``Workspace`` for the session and the database, the
/// ``Printer`` for a command that describes the program.
protocol CommandBody: Hashable, Sendable {
  associatedtype Place: CommandPlace

  /// Whether the command ends no session, whatever it sees.
  var onlyLooks: Bool { get }

  func run(in place: Place) async throws(CommandError) -> Answer
}

extension CommandBody {
  var onlyLooks: Bool { false }

  /// Does what was asked.
  func start(_ run: Run) async throws(CommandError) -> Answer {
    try await self.run(in: Place(run, onlyLooks: onlyLooks))
  }
}

/// What a command works with.
protocol CommandPlace {
  init(_ run: Run, onlyLooks: Bool) throws(CommandError)
}

/// What a run gives to its command.
struct Run {
  let globals: GlobalOptions
  let printer: Printer
  let makeBackend: MakeBackend

  init(_ globals: GlobalOptions, _ makeBackend: @escaping MakeBackend) {
    self.globals = globals
    printer = Printer(globals)
    self.makeBackend = makeBackend
  }
}
