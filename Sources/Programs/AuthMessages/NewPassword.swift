package import AuthCore
package import CommandLineKit

extension Prompt {
  /// Asks twice for a new password; `check` throws the reason if it is not acceptable.
  ///
  /// It asks again if the password is not acceptable, or differs the second time.
  package borrowing func newPassword<Failure: CommandFailure>(
    for username: String, _ check: (Secret, String) throws(Failure) -> Void
  ) throws(CommandError) -> Secret {
    var attempt = 1
    while true {
      let typed = try ask("New password for \(username) (at least 15 characters): ")
      let password = Secret(bytes: typed)
      var refusal: CommandError?
      do throws(Failure) {
        try check(password, username)
      } catch {
        refusal = error.asCommandError
        guard refusal?.status == .usage else { throw error.asCommandError }
      }
      if refusal == nil, try ask("Repeat the new password: ") != typed {
        refusal = CommandError(code: .passwordsDiffer)
      }
      guard let refusal else { return password }
      if attempt == Self.attempts { throw refusal }
      try say("\(refusal.sentence) Try again.")
      attempt += 1
    }
  }
}
