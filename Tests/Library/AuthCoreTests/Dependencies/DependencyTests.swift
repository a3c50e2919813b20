import Programs
import Testing

/// The permitted imports of each module, without external packages: auth-cli → AuthCLIProgram →
/// AuthFullScreen → AuthScreens → AuthMessages → AuthAccounts → AuthCore → Guards, and
/// AuthCLIProgram → AuthSQLite → AuthRules → AuthAccounts.
@Suite(.timeLimit(.minutes(10))) struct DependencyTests {
  private static let language: Set = ["Swift", "Synchronization"]
  /// The names of the C library on different systems; AuthCore uses it for threads.
  private static let threads: Set = ["Darwin", "Glibc", "Musl", "Android"]
  private static let system = language.union(["Observation", "Glibc"])
  private static let groups = [
    "language": language, "portable": language.union(["Observation"]), "threads": threads, "system": system,
  ]

  /// The permitted imports of each target.
  private static let allowed = """
    ConcurrencyKit language threads
    Guards language ConcurrencyKit
    AuthCore portable threads ConcurrencyKit Guards
    AuthCoreTesting portable AuthCore ConcurrencyKit
    TextFormat language Darwin Glibc
    AuthDevice system AuthCore Darwin ConcurrencyKit TextFormat
    AuthOAuth language AuthCore CProcess Glibc ConcurrencyKit Guards TextFormat
    AuthAccounts language AuthCore AuthDevice ConcurrencyKit Guards Glibc SwiftOverlayShims TextFormat
    AuthRules language AuthAccounts AuthCore AuthDevice CCrypt ConcurrencyKit Glibc SwiftOverlayShims TextFormat
    AuthSQLite system AuthAccounts AuthCore AuthDevice AuthRules CSQLite ConcurrencyKit TextFormat
    AuthPostgres system AuthAccounts AuthCore AuthDevice AuthRules CPostgres ConcurrencyKit TextFormat
    AuthService system AuthAccounts AuthCore AuthDevice CSocket CVersion ConcurrencyKit TextFormat
    AuthServer system AuthAccounts AuthCore AuthRules AuthService CSocket ConcurrencyKit TextFormat
    AuthMessages language AuthAccounts AuthCore AuthDevice CommandLineKit TextFormat
    CommandLineKit language Glibc TextFormat
    AuthScreens language AuthAccounts AuthCore AuthMessages CommandLineKit Guards TextFormat
    AuthFullScreen language Glibc AuthAccounts AuthCore AuthDevice AuthMessages AuthScreens CommandLineKit \
      ConcurrencyKit TextFormat
    AuthCLIProgram system AuthAccounts AuthCore AuthDevice AuthFullScreen AuthMessages AuthOAuth AuthScreens \
      AuthService AuthSQLite CommandLineKit CProcess ConcurrencyKit Guards TextFormat
    AuthServiceProgram system AuthAccounts AuthCore AuthDevice AuthMessages AuthPostgres AuthRules AuthServer \
      AuthService AuthSQLite CommandLineKit CProcess ConcurrencyKit TextFormat
    auth-cli AuthSQLite AuthCLIProgram
    auth-service AuthServiceProgram
    """.split(separator: "\n").map { line in
      let words = line.split(separator: " ").map(String.init)
      return (words[0], Set(words.dropFirst().flatMap { groups[$0] ?? [$0] }))
    }

  @Test("a target imports only the permitted modules", arguments: allowed)
  func imports(_ target: String, _ allowed: Set<String>) throws {
    for file in try SourceFile.all(below: SourceTree.folder(of: target)) {
      let strangers = file.imports.filter { !allowed.contains($0) }
      #expect(strangers.isEmpty, "\(file.path) imports \(strangers.joined(separator: ", "))")
    }
  }

  @Test("every folder of sources and tests is a target, and the list above has each target of sources")
  func targets() throws {
    let manifest = try Repository.text(of: "Package.swift")
    let sources = Set(Self.floors.flatMap { Repository.folders(in: "Sources/\($0)") })
    #expect(sources.count > 15 && Repository.folders(in: "Sources") == Set(Self.floors))
    let tests = Set(Repository.folders(in: "Tests").flatMap { Repository.folders(in: "Tests/\($0)") })
    // The benchmarks are a separate package.
    for folder in sources.union(tests).subtracting(["Benchmarks"]) {
      #expect(manifest.contains("name: \"\(folder)\""), "\(folder) is in no target of Package.swift")
    }
    let swift = sources.filter { !Repository.files(below: SourceTree.folder(of: $0), suffix: ".swift").isEmpty }
    let others = swift.symmetricDifference(Self.allowed.map(\.0))
    #expect(others == [], "say in `allowed` what the target may import")
  }

  @Test("one file starts threads, and ConcurrencyKit and AuthCore use the C library only for threads")
  func threadsOnly() throws {
    let starters = try SourceFile.all(below: "Sources").filter {
      !$0.words.isDisjoint(with: ["pthread_create", "Thread", "DispatchQueue", "thrd_create", "clone"])
    }
    #expect(starters.map(\.path) == ["Sources/System/ConcurrencyKit/Threads.swift"])
    let users = try
      (SourceFile.all(below: "Sources/System/ConcurrencyKit") + SourceFile.all(below: "Sources/Library/AuthCore"))
      .filter {
        !Self.threads.isDisjoint(with: $0.imports)
      }
    #expect(
      users.map(\.path) == ["Sources/System/ConcurrencyKit/Monitor.swift"] + starters.map(\.path)
        + ["Sources/Library/AuthCore/Runtime/WorkThreads.swift"])
    let calls = users.flatMap(\.words).filter { $0.wholeMatch(of: /[a-z]+_[a-z_]+/) != nil }
    #expect(
      Set(calls) == [
        "pthread_cond_broadcast", "pthread_cond_destroy", "pthread_cond_init", "pthread_cond_signal",
        "pthread_cond_t", "pthread_cond_wait", "pthread_condattr_destroy", "pthread_condattr_init",
        "pthread_condattr_setclock", "pthread_condattr_t", "pthread_create", "pthread_detach", "pthread_main_np",
        "pthread_mutex_destroy", "pthread_mutex_init", "pthread_mutex_lock", "pthread_mutex_t",
        "pthread_mutex_unlock", "pthread_sigmask", "pthread_t", "sigset_t",
      ], "no clock, no file, no socket")
  }

  private static let floors = ["System", "Library", "Accounts", "Programs"]

  @Test("a module imports modules of its own floor or of one below, and none of a floor above", arguments: allowed)
  func downwards(_ target: String, _ allowed: Set<String>) throws {
    func floor(of module: String) -> Int? {
      Self.floors.firstIndex { SourceTree.folder(of: module) == "Sources/\($0)/\(module)" }
    }
    let own = try #require(floor(of: target))
    let above = allowed.filter { module in floor(of: module).map { $0 > own } ?? false }
    #expect(above.isEmpty, "\(target) is below \(above.sorted().joined(separator: ", "))")
  }

  @Test("the package depends on no other package")
  func noPackages() throws {
    let manifest = SourceFile(path: "Package.swift", text: try Repository.text(of: "Package.swift"))
    #expect(manifest.code.contains { $0.wholeMatch(of: /\s*dependencies: \[\],/) != nil })
    let declared = manifest.code.filter { $0.contains(".package(") }
    #expect(declared.isEmpty)
  }

  @Test("the manifest gives a target the modules of this package that it may import, and no others", arguments: allowed)
  func arrows(_ target: String, _ allowed: Set<String>) throws {
    let form = try Regex<(Substring, Substring?)>(#"arget\(\s*name: "\#(target)"(?:,\s*dependencies: \[([^\]]*)\])?"#)
    let manifest = try Repository.text(of: "Package.swift")
    let declaration = try #require(manifest.firstMatch(of: form)).output.1 ?? ""
    let dependencies = Set(declaration.matches(of: /"([^"]+)"/).map { String($0.1) })
    // The manifest adds AuthPostgres to the service if libpq is installed.
    let added: Set = target == "AuthServiceProgram" ? ["AuthPostgres"] : []
    let others = Self.system.union(Self.threads).union(["SwiftOverlayShims"]).union(added)
    #expect(dependencies == allowed.subtracting(others))
  }

  @Test(
    "a client of a service links neither libcrypt, nor the rules, nor a database, nor the server",
    arguments: ["AuthAccounts", "AuthService"])
  func client(_ target: String) throws {
    let product = #".library(name: "AuthService", targets: ["AuthService", "AuthAccounts"])"#
    #expect(try Repository.text(of: "Package.swift").contains(product))
    let arrows = Dictionary(uniqueKeysWithValues: Self.allowed)
    func reached(_ targets: Set<String>) -> Set<String> {
      let more = targets.union(targets.flatMap { arrows[$0] ?? [] })
      return more == targets ? targets : reached(more)
    }
    let server: Set = ["AuthRules", "CCrypt", "AuthSQLite", "CSQLite", "AuthPostgres", "CPostgres", "AuthServer"]
    #expect(reached([target]).isDisjoint(with: server))
    #expect(reached(["AuthServer", "AuthSQLite", "AuthPostgres"]).isSuperset(of: server), "a name above is wrong")
  }

  @Test("CommandLineKit mentions nothing of authentication outside of Terminal/, which asks for passwords")
  func generic() throws {
    let files = Repository.files(below: "Sources/Programs/CommandLineKit", suffix: ".swift").filter {
      !$0.contains("/Terminal/")
    }
    #expect(files.count > 10)
    let foreign = ["auth", "login", "logged", "logout", "session", "password", "credential", "account", "payment"]
    for path in files {
      let text = try Repository.text(of: path).lowercased()
      for word in foreign { #expect(!text.contains(word), "\(path) mentions \(word)") }
    }
  }

  @Test("an import is found in every form, and none in a comment")
  func forms() {
    let text = """
      import A; @testable import B
      public import C.D  // import X
      @_spi(X)import struct E.F
      // import X
      /* import X */ @preconcurrency internal import class G.H
        import I
      """
    #expect(SourceFile(path: "", text: text).imports == ["A", "B", "C", "E", "G", "I"])
  }
}
