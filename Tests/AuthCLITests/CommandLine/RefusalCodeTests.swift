import AuthBackend
import Testing

@testable import AuthProgram
@testable import CommandLineKit

@Suite("Codes of refusals")
struct RefusalCodeTests {
  private let listed = RefusalCodes.all.map(\.key)

  @Test("the list names each code once, in snake case, with a status that can be")
  func form() {
    #expect(Set(listed).count == listed.count)
    for (code, meaning) in RefusalCodes.all {
      #expect(code.wholeMatch(of: /[a-z]+(_[a-z]+)*/) != nil, "\(code)")
      let status = Int32(meaning.prefix(1)).flatMap(ExitStatus.init(rawValue:))
      #expect(status != nil && status != .done && meaning.dropFirst().hasPrefix(": "), "\(code): \(meaning)")
    }
  }

  @Test("every code that the sources use is listed, and every listed code is used")
  func complete() throws {
    var used = Set(BackendError.Code.allCases.map(\.rawValue))
    for path in try TextFile.list("Sources/AuthProgram", suffix: ".swift")
      + TextFile.list("Sources/CommandLineKit", suffix: ".swift")
      + TextFile.list("Sources/AuthBackend", suffix: ".swift") + TextFile.list("Sources/AuthLocal", suffix: ".swift")
      + TextFile.list("Sources/AuthPostgres", suffix: ".swift")
    {
      let text = try TextFile.read(path)
      // A refusal or a failure that is made with its code.
      let made =
        /(?:CommandError\(\s*\.\w+|self\.init\(\s*\.\w+|\.(?:invalid|refused)\(|\.unavailable\(\s*\.\w+|BackendError\(\s*\.\w+(?:\([^"]*\))?),?\s*"(?<code>[a-z_]+)"/
      used.formUnion(text.matches(of: made).map { String($0.output.code) })
      // Types that know their codes.
      for property in text.matches(of: /var code: String \{(?<body>.*?)\n  \}/.dotMatchesNewlines()) {
        guard !path.hasSuffix("CommandError+Causes.swift") else { continue }
        used.formUnion(property.output.body.matches(of: /: "([a-z_]+)"/).map { String($0.output.1) })
      }
    }
    let library = Set(listed.filter { $0.hasPrefix("authority_") })
    #expect(used.count > 60)
    // What the program says in its own words, or refuses with the line.
    let internals: Set<String> = ["not_fresh", "amount_invalid", "context_invalid"]
    #expect(used.subtracting(listed).subtracting(internals).sorted() == [])
    #expect(Set(listed).subtracting(used).subtracting(library).sorted() == [])
  }
}
