import AuthCore
import AuthMessages
import CommandLineKit

/// How a login ended that another one replaces.
enum ReplacedLogin {
  /// Nobody was logged in.
  case nobody
  case ended
  /// The provider did not end it, and this is why.
  case unfinished(String)

  var notes: [Hint] {
    switch self {
    case .nobody: []
    case .ended: ["The login before it is ended."]
    case .unfinished(let reason): ["About the login before it: \(reason)."]
    }
  }
}

extension ProviderWorkspace {
  /// How the login ended that this store has replaced.
  var endOfReplaced: ReplacedLogin {
    let left = store.leftovers
    return left == .none ? .ended : .unfinished(left.words(at: "provider"))
  }

  /// Ends the login, if there is one.
  func endReplaced() async -> ReplacedLogin {
    _ = await restore()
    do throws(CommandError) {
      let result = try await store.logOut(at: authority, vault)
      if case .alreadyLoggedOut = result { return .nobody }
      return .ended
    } catch {
      return .unfinished(error.message)
    }
  }
}
