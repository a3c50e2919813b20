import AuthMessages
import CommandLineKit

/// `machine`: the table of the session machine.
struct MachineCommand: CommandBody {
  let format: MachineFormat

  static let command = Command<any CommandBody>(
    "machine", summary: "Print the session machine",
    discussion: [
      "Shows what the session does in every state on every event. It is the machine that the program runs."
    ],
    options: [format],
    examples: [
      ("machine", "prints the table"),
      ("machine --format mermaid", "prints a diagram for Mermaid"),
      ("machine --format json", "prints every cell for a program; so does --json"),
    ],
    statuses: .of(.done, .usage, .cannotTell), heedsEnvironment: false
  ) { words in MachineCommand(format: words[Options.json] ? .json : words[format]) }

  private static let format = Option.standard(
    "format", "FORMAT", ValueKind<MachineFormat>.choice("a format"), "The output format", standard: .text,
    shownAs: "text"
  )

  func run(in printer: Printer) -> Answer {
    let table = MachineTable.shipped
    let output = printer.streams.output
    switch format {
    case .text where printer.isQuiet, .mermaid where printer.isQuiet: break
    case .text: output.write(table.text(width: output.isTerminal ? output.width : 100))
    case .mermaid: output.write(table.mermaid)
    case .json: output.write(table.json)
    }
    return Answer(.onlyShows)
  }
}

/// A way to print the session machine.
enum MachineFormat: String, Choice {
  case text
  case mermaid
  case json

  var summary: String {
    switch self {
    case .text: "a table to read"
    case .mermaid: "a diagram for Mermaid"
    case .json: "every cell, for programs"
    }
  }
}
