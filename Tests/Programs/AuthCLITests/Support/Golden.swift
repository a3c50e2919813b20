import Glibc
import Testing

/// Compares output with a file under `fixtures/golden/`.
///
/// With `RECORD_GOLDEN=1` in the environment the files are written instead, to be looked at and
/// committed.
enum Golden {
  static func expect(
    _ text: String, equals name: String, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let path = BuiltExecutable.repository + "/fixtures/golden/" + name
    if getenv("RECORD_GOLDEN").map({ String(cString: $0) }) == "1" {
      try TextFile.write(text, to: path)
      return
    }
    let expected = try TextFile.read(path)
    guard text != expected else { return }
    func lines(_ text: String) -> [Substring] { text.split(separator: "\n", omittingEmptySubsequences: false) }
    let (old, new) = (lines(expected), lines(text))
    let same = zip(old, new).prefix { $0 == $1 }.count
    Issue.record(
      "fixtures/golden/\(name) differs in line \(same + 1): \(new.dropFirst(same).first ?? ""). RECORD_GOLDEN=1 records it anew.",
      sourceLocation: sourceLocation)
  }
}
