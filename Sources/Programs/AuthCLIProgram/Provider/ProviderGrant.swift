import AuthCore
import AuthDevice
import AuthMessages
import AuthOAuth
import CommandLineKit
import TextFormat

// What a provider granted, which may be less than the login requested.
extension ProviderWorkspace {
  private var granted: SavedLogin? {
    guard case .token(let session, _) = vault.read() else { return nil }
    return SavedLogin(session)
  }

  /// The requested scopes that the provider did not grant; empty if it did not say.
  private var missingScopes: [String] {
    guard let granted, let scopes = granted.scopes else { return [] }
    return settings.scopes.filter { scope in
      // A provider that grants a refresh token has granted this scope, also if it does not list it.
      !scopes.contains(scope) && !(scope == "offline_access" && granted.isRenewable)
    }
  }

  /// Sentences about a login that is less than what was requested, or cannot be checked.
  func grantNotes(for user: User) -> [String] {
    var notes: [String] = []
    if !user.isIdentified {
      notes.append("The provider does not say who that is: nothing but this login identifies the user.")
    }
    if granted?.isRenewable == false {
      notes.append(
        "The provider granted no refresh token, so the login ends with the access token."
          + (settings.scopes.contains("offline_access") ? "" : " Many providers want the scope offline_access for one.")
      )
    }
    if !missingScopes.isEmpty {
      notes.append("The provider did not grant these scopes: \(missingScopes.map(\.escaped).joined(separator: ", ")).")
    }
    if let note = unlistedNote { notes.append(note) }
    return notes
  }

  /// The sentence about a provider that may not check PKCE (RFC 9700, section 2.1.1).
  private var unlistedNote: String? {
    settings.listsS256
      ? nil : "The provider does not say that it supports PKCE with S256; auth-cli uses it all the same."
  }

  /// The same facts for programs.
  func grantDocument(for user: User?) -> JSON {
    [
      "user_identified": user.map { .bool($0.isIdentified) } ?? .null,
      "granted_scopes": granted?.scopes.map { .array($0.map(JSON.string)) } ?? .null,
      "renewable": granted.map { .bool($0.isRenewable) } ?? .null, "pkce_listed": .bool(settings.listsS256),
    ]
  }

  /// Throws if no login can be one of the same user.
  func requireIdentified(_ user: User) throws(CommandError) {
    if !user.isIdentified { throw CommandError(code: .userNotIdentified, settings.issuer.escaped) }
  }
}
