import Programs
import Testing

@testable import CommandLineKit

/// pyte, a terminal emulator that knows nothing of this project, through
/// `fixtures/emulator/screen.py`.
enum Emulator {
  /// The Python that can import it: `PYTHON` of the environment, otherwise `python3`.
  private static let python = Program.inheritedEnvironment["PYTHON"] ?? "python3"

  /// Whether it can be run here.
  static func isHere() async throws -> Bool {
    let outcome = try await Program(python, ["-c", "import pyte"], timeLimit: .seconds(30)).run()
    return outcome.ending == .exited(0)
  }

  static let advice: Comment =
    "needs pyte: python3 -m venv DIRECTORY; DIRECTORY/bin/pip install pyte; PYTHON=DIRECTORY/bin/python"

  /// A frame, and the bytes that are to make it from the frame before.
  typealias Step = (frame: Frame, bytes: [UInt8])

  /// What the emulator shows after each step, in the format of golden files.
  static func screens(_ steps: [Step]) async throws -> [String] {
    var input: [UInt8] = []
    for step in steps {
      input += Array("size \(step.frame.columns) \(step.frame.rows)\nbytes \(step.bytes.count)\n".utf8) + step.bytes
    }
    let script = SourceTree.root + "/fixtures/emulator/screen.py"
    let outcome = try await Program(python, [script], input: input, timeLimit: .seconds(100)).run()
    try #require(outcome.ending == .exited(0), "\(String(decoding: outcome.output, as: UTF8.self))")
    return outcome.text.split(separator: "\0").map(String.init)
  }
}
