import Testing

/// Compiles every pair in `fixtures/must-not-compile` as another package would: all programs as one
/// module, and all twins as another.
@Suite(.timeLimit(.minutes(10))) struct MustNotCompileTests {
  private static let directory = "fixtures/must-not-compile"
  static let files = Repository.files(below: directory, suffix: ".swift")
  static let programs = files.filter { !$0.hasSuffix(".ok.swift") }

  private static let findings = Task {
    try await RefusedProgram.findings(
      in: programs.map { program in
        let twin = program.replacing(/\.swift$/, with: ".ok.swift")
        return RefusedProgram(
          name: name(program), source: try Repository.text(of: program),
          twin: files.contains(twin) ? try Repository.text(of: twin) : nil)
      })
  }

  private static func name(_ program: String) -> String {
    String(program.dropFirst(directory.count + 1).dropLast(".swift".count))
  }

  @Test("the compiler refuses the program for its error, and accepts its twin", arguments: programs)
  func refused(_ program: String) async throws {
    let findings = try #require(try await Self.findings.value[Self.name(program)])
    #expect(findings.isEmpty, "\(program): \(findings.joined(separator: "\n"))")
  }

  @Test("every twin has its program, and at least twelve misuses are refused")
  func twins() {
    let twins = Self.files.filter { $0.hasSuffix(".ok.swift") }
    #expect(twins.map { $0.replacing(/\.ok\.swift$/, with: ".swift") } == Self.programs)
    #expect(Self.programs.count >= 12)
  }
}
