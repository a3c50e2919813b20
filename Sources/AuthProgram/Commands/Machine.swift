import AuthCore
import CommandLineKit

extension Program {
  /// `machine`: the table of the session machine, by asking it.
  static func machine(_ format: MachineFormat, _ printer: Printer) -> Answer {
    let table = MachineTable()
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
