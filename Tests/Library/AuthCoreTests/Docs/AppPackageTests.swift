import Foundation
import Programs
import Testing

/// An app's package outside the repository, with the exact code of the articles.
@Suite(.enabled(if: Effort.isComplete, "make test-all builds it"), .timeLimit(.minutes(240))) struct AppPackageTests {
  /// The articles whose code becomes the app, each with a name in the block to take.
  private static let blocks = [
    ("GettingStarted.md", "HomeModel"), ("GettingStarted.md", "HomeScreen"), ("LiveKeys.md", "AccountScreen"),
    ("Leases.md", "UploadError"), ("WritingAnAuthority.md", "OAuthApp"), ("WritingAnAuthority.md", "ServerAuthority"),
  ]

  @Test("an app with the code of the articles builds without a warning, and its tests pass", .timeLimit(.minutes(240)))
  func builds() async throws {
    let files = FileManager.default
    // The build of AuthCore is stored next to our build, so that it is not repeated each time.
    let build = Repository.root + "/.build/app-package"
    let directory = build + "/package"
    if files.fileExists(atPath: directory) { try files.removeItem(atPath: directory) }
    try files.createDirectory(atPath: build, withIntermediateDirectories: true)
    try files.copyItem(atPath: Repository.root + "/fixtures/app-package", toPath: directory)
    try files.createDirectory(atPath: directory + "/Sources/App", withIntermediateDirectories: true)
    let manifest = try Repository.text(of: "fixtures/app-package/Package.swift")
      .replacing("AUTHCORE", with: Repository.root)
    try manifest.write(toFile: directory + "/Package.swift", atomically: true, encoding: .utf8)
    for (article, name) in Self.blocks {
      let path = "Sources/Library/AuthCore/AuthCore.docc/\(article)"
      let block = try #require(try Snippet.all(in: path).first { $0.code.contains(" \(name)") })
      try block.code.write(toFile: "\(directory)/Sources/App/\(name).swift", atomically: true, encoding: .utf8)
    }
    let test = Program(
      "env",
      [
        "ONLY=Guards AuthCore AuthCoreTesting AuthDevice AuthOAuth", "swift", "test", "--package-path", directory,
        "--scratch-path", build + "/build",
        "-Xswiftc", "-warnings-as-errors", "--disable-sandbox",
      ], timeLimit: .seconds(540))
    let outcome = try await test.run()
    #expect(outcome.ending == .exited(0), "\(outcome.text.suffix(6000))")
    #expect(!outcome.text.contains("warning: "), "\(outcome.text.suffix(6000))")
    #expect(outcome.text.contains(/Test run with \d+ tests? in 3 suites passed/))
  }
}
