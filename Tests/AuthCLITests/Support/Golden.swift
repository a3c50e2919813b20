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
    let difference = firstDifference(expected, text)
    Issue.record(
      "fixtures/golden/\(name) differs: \(difference). RECORD_GOLDEN=1 records it anew.", sourceLocation: sourceLocation
    )
  }

  private static func firstDifference(_ expected: String, _ actual: String) -> String {
    let (old, new) = (lines(expected), lines(actual))
    for index in 0..<max(old.count, new.count) {
      let before = index < old.count ? "\"\(old[index])\"" : "nothing"
      let after = index < new.count ? "\"\(new[index])\"" : "nothing"
      if before != after { return "line \(index + 1) is \(after), expected \(before)" }
    }
    return "line endings"
  }

  private static func lines(_ text: String) -> [Substring] {
    text.split(separator: "\n", omittingEmptySubsequences: false)
  }
}
