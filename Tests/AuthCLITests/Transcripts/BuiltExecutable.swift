import Programs

/// The `auth-cli` under test, and the repository it was built from.
enum BuiltExecutable {
  /// `AUTH_CLI` when set, so that a release executable is tested by the same files.
  private static let named = Program.inheritedEnvironment["AUTH_CLI"]

  /// For most tests: the one with the least cost of a password.
  static let cheap: String = named ?? LeastCost.executable

  /// For tests that show the program as people get it, and those in which the cost of a password
  /// may matter: the one that is shipped.
  static let shipped: String = named ?? debug

  /// The dynamic executable beside the test bundle, whose calls can be intercepted.
  static let debug = LeastCost.products + "/auth-cli"

  /// What transcripts need and a shell lacks.
  static let transcriptTool = LeastCost.products + "/transcript-tool"

  /// The top of the repository.
  static let repository = SourceTree.root
}
