import AuthAccounts
import AuthMessages
import AuthRules
import CommandLineKit

/// `after-restore`.
enum AfterRestoreCommand {
  static let command = Command<ServiceCommand>(
    "after-restore", summary: "End the sessions and codes of a restored backup, before the service starts",
    discussion: [
      "Run it once after you restored a backup: it ends all sessions and voids all recovery and one-time codes, "
        + "and lists what only you can check."
    ],
    options: ServiceOptions.databases,
    examples: [
      "after-restore --database /var/lib/auth-service":
        "prints who was an administrator, who was disabled, and the last payment"
    ],
    statuses: .of(.done, .usage, .cannotTell)
  ) { words throws(CommandError) in
    let database = try DatabaseLocation(words)
    return ServiceCommand(whereEmpty: database.whereEmpty) { program throws(CommandError) in
      let backend = try ServedBackend(database, cost: program.cost, connections: 1, isAlone: true)
      let report = try explained { () throws(BackendError) in try backend.rules.cleanUpAfterRestore() }
      return try Output.write(report.text)
    }
  }
}
