import Foundation

/// A program that the compiler must refuse, and its twin, which differs only in the error and must
/// be accepted.
struct RefusedProgram {
  let name: String
  let source: String
  let twin: String?

  /// The problems of each pair; none if the compiler refuses the program exactly as its comments
  /// say.
  ///
  /// All are compiled as one module, and those with operations as another, in the package. Those
  /// that extend a type are compiled alone, because the others would see the extension.
  static func findings(in programs: [RefusedProgram]) async throws -> [String: [String]] {
    let pairs = programs.filter { !$0.expectations.isEmpty && $0.twin != nil }
    var findings = Dictionary(uniqueKeysWithValues: programs.map { ($0.name, $0.omissions) })
    let others = pairs.filter { !$0.extendsType }
    let modules = [others.filter { !$0.isInPackage }, others.filter(\.isInPackage)]
    for module in modules + pairs.filter(\.extendsType).map({ [$0] }) {
      for (name, found) in try await compile(module) { findings[name, default: []] += found }
    }
    return findings
  }

  private static func compile(_ pairs: [RefusedProgram]) async throws -> [(String, [String])] {
    let inPackage = pairs.contains(where: \.isInPackage)
    async let complaints = ClientCompiler.compile(files(pairs, \.twin), inPackage: inPackage)
    var errors = try await ClientCompiler.compile(files(pairs, \.source), inPackage: inPackage)
    // The compiler reaches SIL only for a module without type errors, so programs without an error
    // so far are compiled again without the others.
    let rest = pairs.filter { errors[$0.name] == nil }
    if rest.count < pairs.count {
      try await errors.merge(ClientCompiler.compile(files(rest, \.source), inPackage: inPackage)) { $0 + $1 }
    }
    let found = try await complaints
    return pairs.map { pair in
      let ofTwin = found[pair.name, default: []] + found["", default: []]
      return (
        pair.name,
        ofTwin.map { "the twin does not compile in silence: \($0)" }
          + compare(pair.expectations, with: errors[pair.name, default: []] + errors["", default: []])
      )
    }
  }

  private static func files(_ programs: [RefusedProgram], _ text: (RefusedProgram) -> String?) -> [String: String] {
    Dictionary(uniqueKeysWithValues: programs.map { ($0.name, text($0) ?? "") })
  }

  private var extendsType: Bool { "\(source)\(twin ?? "")".contains(#/(?m)^extension /#) }

  private var isInPackage: Bool { source.contains(#/Operations\.|CheckedToken/#) }

  private var omissions: [String] {
    if expectations.isEmpty { return ["the program says nowhere '\(Self.marker)'"] }
    guard let twin else { return ["the program has no twin, so nothing shows that it is refused for its offence"] }
    return Self.difference(source, twin)
  }

  private var expectations: [Diagnostic] {
    source.split(separator: "\n", omittingEmptySubsequences: false).enumerated().flatMap { index, line in
      line.split(separator: Self.marker, omittingEmptySubsequences: false).dropFirst().map { text in
        Diagnostic(severity: .error, line: index + 1, message: text.trimmingCharacters(in: .whitespaces))
      }
    }
  }

  private static func compare(_ expected: [Diagnostic], with actual: [Diagnostic]) -> [String] {
    func fits(_ expectation: Diagnostic, _ diagnostic: Diagnostic) -> Bool {
      diagnostic.severity == .error && diagnostic.line == expectation.line
        && diagnostic.message.contains(expectation.message)
    }
    let missing = expected.filter { expectation in !actual.contains { fits(expectation, $0) } }
    // One error can produce several diagnostics for a line, and compilers differ in their number.
    let surplus = actual.filter { diagnostic in !expected.contains { $0.line == diagnostic.line } }
    return missing.map { "expected and not there: \($0)" } + surplus.map { "there and not expected: \($0)" }
  }

  private static func difference(_ source: String, _ twin: String) -> [String] {
    let difference = code(of: twin).difference(from: code(of: source))
    if difference.isEmpty { return ["the twin is the same program"] }
    let changed = max(difference.removals.count, difference.insertions.count)
    return changed > 4 ? ["the twin differs in \(changed) lines; the offence alone takes at most 4"] : []
  }

  /// The lines without comments and indentation.
  private static func code(of source: String) -> [String] {
    source.replacing(#/\/\/.*/#, with: "").split(separator: "\n")
      .map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
  }

  private static let marker = "// expect-error:"
}
