import Testing

/// Every pair in `fixtures/must-not-compile`, compiled as another package would compile it.
@Suite struct MustNotCompileTests {
  private static let directory = "fixtures/must-not-compile"
  static let files = Repository.files(below: directory, suffix: ".swift")
  static let programs = files.filter { !$0.hasSuffix(".ok.swift") }

  @Test("the compiler refuses the program for its offence, and accepts its twin", arguments: programs)
  func refused(_ program: String) async throws {
    let twin = program.replacing(/\.swift$/, with: ".ok.swift")
    let pair = RefusedProgram(
      source: try Repository.text(of: program), twin: Self.files.contains(twin) ? try Repository.text(of: twin) : nil)
    let findings = try await pair.findings()
    #expect(findings.isEmpty, "\(program): \(findings.joined(separator: "\n"))")
  }

  @Test("every twin has its program")
  func noLonelyTwins() {
    let twins = Self.files.filter { $0.hasSuffix(".ok.swift") }
    #expect(twins.map { $0.replacing(/\.ok\.swift$/, with: ".swift") } == Self.programs)
  }

  @Test("at least twelve misuses are refused")
  func enough() {
    #expect(Self.programs.count >= 12)
  }
}
