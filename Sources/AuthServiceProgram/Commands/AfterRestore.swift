import AuthBackend
import AuthMessages
import CommandLineKit

/// `after-restore`.
struct AfterRestoreCommand: ServiceCommand {
  let database: DatabasePlace

  static let command = Command<any ServiceCommand>(
    "after-restore", summary: "End what a restored backup revived, before the service starts",
    discussion: [
      "Run it once after you restored a backup: it ends all sessions and voids all recovery and one-time codes, "
        + "and lists what only you can check."
    ],
    options: [Options.database, Options.postgres],
    examples: [
      "after-restore --database /var/lib/auth-service":
        "prints who was an administrator, who was disabled, and the last payment"
    ],
    statuses: .of(.done, .usage, .cannotTell)
  ) { words throws(UsageError) in AfterRestoreCommand(database: try DatabasePlace(words)) }

  func run(in program: ServiceProgram) throws(CommandError) -> ExitStatus {
    let backend = try ServedBackend.open(database, cost: program.cost, threads: 1, hashThreads: 1, isAlone: true)
    let report = try explained { () throws(BackendError) in try backend.rules.cleanUpAfterRestore() }
    try Output.write(report.text)
    return .done
  }
}
