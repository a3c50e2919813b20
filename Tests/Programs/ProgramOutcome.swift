/// The exit status and the output of a child.
package struct ProgramOutcome: Equatable, Sendable {
  package enum Ending: Equatable, Sendable {
    case exited(Int32)
    case signalled(Int32)
    case killedAtTimeLimit
  }

  package var ending: Ending
  package var output: [UInt8]

  /// The output as text; bytes that are not UTF-8 become replacement characters.
  package var text: String { String(decoding: output, as: UTF8.self) }
}
