import Programs
import Testing

@testable import AuthCLIProgram
@testable import CommandLineKit

/// Every command of the README and of the article *Use auth-cli* that no terminal session plays is
/// executed here; one that is new and has no way to be fails.
@Suite(.timeLimit(.minutes(10))) struct ReadmeCommandTests {
  private static let readme = ReadmeSession.documents

  /// How the commands of make are executed: in the repository, with `$HOME` a new directory.
  ///
  /// `--assume-old` leaves out the target that builds, and what was built is that which this test
  /// was built with: inside `swift test` another build would wait for this one to end. All else is
  /// done as it is for whoever types the command.
  private static let rehearsals = [
    "make demo": "make --assume-old=program demo DEBUG='\(executable)'",
    // It draws on a terminal, of which a test of the executable itself takes care; here there is
    // none, and it says so.
    "make app": "(make --assume-old=program app DEBUG='\(executable)' 2>&1 || test $? -eq 2) | grep 'needs a terminal'",
    // `make test-all` builds the documentation.
    "make docs-open": """
    make --dry-run optimised-lane | grep -x '.ci/docs .build/debug/Modules'
    make --dry-run docs-open | grep -x '.ci/docs-open .build/docs 8000'
    """,
    // Below a directory that plays the root of the system.
    "make install PREFIX=/usr/local": """
    \(install)
    test "$(cd "$HOME/stage" && find . -type f | sort | xargs)" = "\(installed)"
    "$HOME/stage/usr/local/bin/auth-cli" --version
    """,
    "make uninstall PREFIX=/usr/local": """
    \(install)
    touch "$HOME/stage/usr/local/bin/other"
    make uninstall PREFIX=/usr/local DESTDIR="$HOME/stage"
    test "$(cd "$HOME/stage" && find . -type f)" = ./usr/local/bin/other
    """,
    // It installs servers. `make test` plays at those that are here.
    "make test-providers": "make --dry-run test-providers | grep 'PROVIDERS=1 .ci/tests test-providers --filter Other'",
    // `make test-packages` builds and installs the packages.
    "make deb": "make --dry-run deb | grep -x '.ci/packages deb'",
    // The run that this test is part of is that of the tests, so the rest is: that make would begin
    // it, and that a change is not good without it. What it does before, the set-up, is executed.
    "make test": """
    make setup
    make --dry-run test | grep -x ".ci/tests other-tests .* --skip 'AuthPostgresTests|AuthServiceTests'"
    make --dry-run test | grep -c '^.ci/tests' | grep -x 3
    grep -x 'for stage in lint test test-all; do' .ci/run
    """,
  ]

  private static let executable = BuiltExecutable.debug
  private static let install = """
    make --assume-old=release install PREFIX=/usr/local DESTDIR="$HOME/stage" RELEASE='\(executable)'
    """
  private static let installed = [
    "./usr/local/bin/auth-cli", "./usr/local/share/bash-completion/completions/auth-cli",
    "./usr/local/share/doc/auth-cli/ThreatModel.md", "./usr/local/share/doc/auth-cli/UseTheProgram.md",
    "./usr/local/share/fish/vendor_completions.d/auth-cli.fish", "./usr/local/share/man/man1/auth-cli.1",
    "./usr/local/share/zsh/site-functions/_auth-cli",
  ].joined(separator: " ")

  /// One at a time, because some write into the build directory.
  @Test(
    "a command of make in the README does its work", .serialized,
    arguments: readme.commands.filter { $0.hasPrefix("make ") })
  func make(_ command: String) async throws {
    let script = try #require(Self.rehearsals[command], "nothing executes this command of the README")
    let scratch = ShortFolder()
    try await play(script, environment: ["HOME": scratch.path])
  }

  @Test(
    "a command of auth-cli in the README does its work for who is logged in, or a session of the README plays it",
    arguments: readme.commands.filter { !$0.hasPrefix("make ") })
  func tool(_ command: String) async throws {
    if command == "h=$(auth-cli token --header) && printf '%s\\n' \"$h\" | curl -H @- URL" {
      // A transcript plays it at an identity provider. Without one, no request is sent.
      let home = try await CommandHome(loggedIn: true, executable: Self.executable)
      let sent = "curl() { echo sent; }; (\(command)) && exit 1; echo $?"
      return try await play("test \"$(\(sent))\" = 4 && echo fine", environment: home.environment)
    }
    try #require(command.hasPrefix("auth-cli "), "nothing executes this command of the README")
    let sessions = ReadmeSession(Self.readme)
    if sessions.commands.contains(where: { $0 == command || $0.hasPrefix(command + " ") }) { return }
    var script = command
    // It needs a terminal and says so; on one `AppTerminalTests` play it.
    if command == "auth-cli app" { script = "! auth-cli app" }
    if let pager = command.firstRange(of: " | man "), try await !isInstalled("man") {
      script = String(command[..<pager.lowerBound])
    }
    let isAtProvider = command.contains("--provider") || command.contains("--resource")
    let home = try await CommandHome(loggedIn: !isAtProvider, executable: Self.executable)
    let atProvider = ["login --provider", "login --resource", "token", "run"]
    if atProvider.contains(where: { command.hasPrefix("auth-cli \($0)") }) {
      // Transcripts play it at an identity provider. Here there is none, and it says so.
      let words = command.dropFirst("auth-cli ".count).split(separator: " | ")[0]
      let outcome = try await home.run(String(words), adding: ["PATH": "/nowhere"])
      let answers = [
        ("--client-secret-stdin", "ends before the client secret"), ("--assertion-file", "the assertion in"),
        ("login --resource", "needs a terminal"), ("--resource", "nobody is logged in for"), ("--provider", "curl"),
        ("", "not at an identity provider"),
      ]
      let answer = answers.first { command.contains($0.0) || $0.0.isEmpty }?.1 ?? ""
      #expect(outcome.text.contains(answer), "\(outcome.text)")
      return
    }
    try await play(script, environment: home.environment)
  }

  @Test("what is rehearsed is in the README")
  func rehearsed() {
    #expect(Set(Self.rehearsals.keys).isSubset(of: Self.readme.commands))
  }

  @Test("every block of the README is executed, compiled, read by systemd, or adds the program to a client")
  func kinds() {
    let languages = ["clients", "console", "gitconfig", "ini", "service", "sh", "swift", "yaml"]
    #expect(Set(Self.readme.blocks.map(\.language)) == Set(languages))
    // Programs that are not here.
    let clients = Self.readme.lines(in: "clients").filter { !$0.hasPrefix("#") }
    #expect(clients.allSatisfy { $0.contains("auth-cli") && $0.contains("mcp") })
  }

  @Test("what git and kubectl are configured to run are commands of the program")
  func configurations() async throws {
    let lines = Self.readme.lines(in: "yaml")
    let arguments = try #require(lines.firstIndex(of: "      args: [credential, kubectl]"), "\(lines)")
    #expect(lines[arguments - 1] == "      command: auth-cli")
    var commands = ["!auth-cli credential kubectl\n"]
    if try await isInstalled("git") {
      let scratch = ShortFolder()
      let file = scratch.path + "/configuration"
      try TextFile.write(Self.readme.lines(in: "gitconfig").joined(separator: "\n"), to: file)
      let words = ["config", "--file", file, "credential.helper"]
      // git adds the operation.
      commands.append(try await Program("git", words, timeLimit: .seconds(600)).run().text.dropLast() + " get\n")
      withExtendedLifetime(scratch) {}
    }
    for command in commands {
      try #require(command.hasPrefix("!auth-cli "), "\(command)")
      let words = command.dropFirst("!auth-cli ".count).dropLast().split(separator: " ")
      _ = try AuthTool.tool.parse(words.map { Word(bytes: Array($0.utf8)) })
    }
  }

  @Test("each command of the README for a service is one of the article 'Running the service', which tests execute")
  func service() throws {
    let article = Markdown(
      try TextFile.read(
        BuiltExecutable.repository + "/Sources/Programs/AuthCLIProgram/AuthCLIProgram.docc/RunningService.md")
    )
    let lines = Self.readme.lines(in: "service")
    #expect(lines.count > 3)
    for line in lines { #expect(article.blocks.contains { $0.lines.contains(line) }, "\(line)") }
  }

  @Test("the functions of 'Getting started' for a database create an account, log in and log out")
  func library() async throws {
    let path = BuiltExecutable.repository + "/Sources/Library/AuthCore/AuthCore.docc/GettingStarted.md"
    let blocks = Markdown(try TextFile.read(path)).blocks.filter { block in
      block.language == "swift" && block.lines.contains("import AuthSQLite")
    }
    #expect(blocks.count == 2)
    let lines = blocks.flatMap(\.lines).joined(separator: "\n")
    let home = try await CommandHome(loggedIn: false, executable: Self.executable)
    let products = Self.executable.dropLast("/auth-cli".count)
    let sources = BuiltExecutable.repository + "/Sources"
    try await play(
      """
      cat >"$HOME/main.swift"
      # The objects of the sources of now: an incremental build keeps those of files that moved.
      objects=()
      for module in ConcurrencyKit Guards AuthCore TextFormat AuthAccounts AuthRules AuthDevice AuthSQLite; do
        while IFS= read -r source; do objects+=('\(products)'/"$module.build/${source##*/}.o"); done \
          < <(find '\(sources)'/*/"$module" -name '*.swift')
      done
      swiftc -swift-version 6 -I '\(products)/Modules' -I '\(sources)/System/CSQLite' -I '\(sources)/System/CCrypt' \
        -module-cache-path '\(products)/ClientModules' -o "$HOME/tour" "$HOME/main.swift" \
        "${objects[@]}"
      "$HOME/tour" "$HOME/accounts" >"$HOME/printed"
      grep -x 'Please log in' "$HOME/printed"
      """, environment: home.environment,
      input: lines + """

        try createAccount(in: CommandLine.arguments[1])
        try await run(in: CommandLine.arguments[1])

        """)
  }

  private func isInstalled(_ program: String) async throws -> Bool {
    try await Program("sh", ["-c", "command -v \(program)"], timeLimit: .seconds(600)).run().ending == .exited(0)
  }

  /// Plays a script in the repository; each of its commands must succeed, and something must be
  /// printed.
  private func play(_ script: String, environment: [String: String], input: String = "") async throws {
    // Nothing of a make that runs these tests, nor of the caller's choices, but where programs are
    // found.
    let path = Program.inheritedEnvironment["PATH"] ?? "/usr/bin:/bin"
    let bin = Self.executable.dropLast("/auth-cli".count)
    let shell = Program(
      "bash", ["-euo", "pipefail", "-c", script],
      environment: environment.merging(["PATH": "\(bin):\(path)"]) { $1 },
      workingDirectory: BuiltExecutable.repository, input: Array(input.utf8), timeLimit: .seconds(600))
    let outcome = try await shell.run()
    #expect(outcome.ending == .exited(0) && !outcome.output.isEmpty, "\(script)\n\(outcome.text)")
  }
}
