import Glibc
import Programs
import Testing

/// The `auth-cli` under test, and the repository it was built from.
enum BuiltExecutable {
  /// `AUTH_CLI` when set, so that a release executable is tested by the same files.
  private static let named = Program.inheritedEnvironment["AUTH_CLI"]

  /// For most tests: the one with the least cost of a password.
  static let cheap: String = named ?? LeastCost.executable

  /// The same for transcripts, which start it thousands of times: linked statically, where the
  /// system has the archives, it starts in half the time.
  static let quick = Task {
    let folder = LeastCost.products + "/quick"
    mkdir(folder, 0o755)
    let made = "\(folder)/auth-cli.\(getpid())"
    let arguments = [
      "-static-executable", "-use-ld=lld", "-Xlinker", "--defsym=main=auth_cli_least_cost_main", "-o", made,
      "@\(LeastCost.products)/auth-cli-least-cost.product/Objects.LinkFileList", "-lsqlite3", "-lcrypt", "-lm",
    ]
    guard named == nil, try await Program("swiftc", arguments, timeLimit: .seconds(120)).run().ending == .exited(0)
    else { return cheap }
    try #require(rename(made, folder + "/auth-cli") == 0)
    return folder + "/auth-cli"
  }

  /// For tests that show the program as people get it, and those in which the cost of a password
  /// may matter: the one that is shipped.
  static let shipped: String = named ?? debug

  /// The dynamic executable beside the test bundle, whose calls can be intercepted.
  static let debug = LeastCost.products + "/auth-cli"

  /// What transcripts need and a shell lacks.
  static let transcriptTool = LeastCost.products + "/transcript-tool"

  /// The service, with the least cost of a password.
  static let service = LeastCost.products + "/auth-service-least-cost"

  /// The top of the repository.
  static let repository = SourceTree.root
}
