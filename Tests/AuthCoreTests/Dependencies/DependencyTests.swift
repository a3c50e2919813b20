import Testing

/// Which module may import which: auth-cli → AuthProgram → AuthLocal → AuthCore → Guards, and nothing from outside.
@Suite struct DependencyTests {
  private static let language: Set = ["Swift", "Synchronization"]
  private static let portable = language.union(["Observation"])
  private static let system = portable.union(["Glibc"])

  @Test(
    "a target imports nothing beyond what it may know",
    arguments: [
      ("Guards", language),
      ("AuthCore", portable.union(["Guards"])),
      ("AuthCoreTesting", portable.union(["AuthCore", "Guards"])),
      ("AuthLocal", system.union(["AuthCore", "Guards", "CSQLite", "CCrypt"])),
      ("CommandLineKit", language.union(["Glibc"])),
      ("AuthProgram", system.union(["AuthCore", "AuthLocal", "CommandLineKit", "Guards"])),
      ("auth-cli", Set(["AuthProgram"])),
    ])
  func imports(_ target: String, _ allowed: Set<String>) throws {
    for file in try SourceFile.all(below: "Sources/\(target)") {
      let strangers = file.imports.filter { !allowed.contains($0) }
      #expect(strangers.isEmpty, "\(file.path) imports \(strangers.joined(separator: ", "))")
    }
  }

  @Test("CommandLineKit names no type of the libraries: it would serve any program")
  func commandLineKnowsNoAuthentication() throws {
    let libraries = try SourceFile.all(below: "Sources/AuthCore") + SourceFile.all(below: "Sources/AuthLocal")
    let types = Set(libraries.flatMap(\.exportedTypes))
    #expect(types.isSuperset(of: ["User", "Credentials", "SessionToken"]))
    for file in try SourceFile.all(below: "Sources/CommandLineKit") {
      let known = file.words.intersection(types).sorted()
      #expect(known.isEmpty, "\(file.path) mentions \(known.joined(separator: ", "))")
    }
  }

  @Test("the package depends on no other package")
  func noPackages() throws {
    let manifest = SourceFile(path: "Package.swift", text: try Repository.text(of: "Package.swift"))
    #expect(manifest.code.contains { $0.wholeMatch(of: /\s*dependencies: \[\],/) != nil })
    let declared = manifest.code.filter { $0.contains(".package(") }
    #expect(declared.isEmpty)
  }

  @Test("the manifest's arrows point one way")
  func arrows() throws {
    let manifest = try Repository.text(of: "Package.swift")
    func dependencies(of target: String) -> Set<String>? {
      let line = manifest.split(separator: "\n").first { $0.contains(#"arget(name: "\#(target)""#) }
      return line?.firstMatch(of: /dependencies: \[(?<list>[^\]]*)\]/).map { match in
        Set(match.list.matches(of: /"([^"]+)"/).map { String($0.1) })
      } ?? line.map { _ in [] }
    }
    #expect(dependencies(of: "Guards") == [])
    #expect(dependencies(of: "AuthCore") == ["Guards"])
    #expect(dependencies(of: "AuthCoreTesting") == ["AuthCore", "Guards"])
    #expect(dependencies(of: "AuthLocal") == ["AuthCore", "Guards", "CSQLite", "CCrypt"])
    #expect(dependencies(of: "CommandLineKit") == [])
    #expect(dependencies(of: "AuthProgram") == ["AuthCore", "AuthLocal", "CommandLineKit", "Guards"])
    #expect(dependencies(of: "auth-cli") == ["AuthProgram"])
  }

  @Test(
    "an import is seen in every form",
    arguments: [
      "import Foundation", "public import Foundation", "@testable import Foundation", "  import Foundation  // why",
      "@_spi(Testing) public import struct Foundation.Data", "import Swift; import Foundation",
      "import Foundation.NSData",
      "@preconcurrency internal import class Foundation.FileManager",
    ])
  func seesImports(_ line: String) {
    #expect(SourceFile(path: "", text: "\n\(line)\n").imports.last == "Foundation")
  }

  @Test("a comment imports nothing")
  func ignoresComments() {
    #expect(
      SourceFile(path: "", text: "/// import Foundation\n// import Foundation\n/* import Foundation */\n").imports == []
    )
  }
}
