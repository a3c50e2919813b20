package import AuthAccounts
package import AuthCore
@_spi(_Unicode) import Swift

/// A password in the one form that is hashed: UTF-8 in Unicode Normalization Form C, without NUL,
/// at most 511 bytes.
///
/// Keyboards and terminals differ in whether é arrives composed or decomposed; both are the same
/// password. Longer input is refused, never cut.
/// Source: NIST SP 800-63B-4, section 3.1.1.2; UAX #15; crypt(3).
package struct NormalizedPassword: Redacted {
  package let text: String

  /// - Throws: ``BackendError`` of kind `invalid` with the rule that it breaks.
  package init(_ password: Secret) throws(BackendError) {
    guard let typed = String(validating: password.bytes, as: UTF8.self) else { throw .invalid(.passwordNotText) }
    // Composition shortens text to a third at most (Hangul), so longer text need not be composed to
    // be refused.
    guard password.bytes.count <= PasswordPolicy.longest * 4 else { throw Self.tooLong(password.bytes.count) }
    text = PasswordComposition.composed(typed)
    guard !text.utf8.contains(0) else { throw .invalid(.passwordHasNul) }
    guard text.utf8.count <= PasswordPolicy.longest else { throw Self.tooLong(text.utf8.count) }
  }

  private static func tooLong(_ bytes: Int) -> BackendError { .invalid(.passwordTooLong, "\(bytes)") }
}

// The standard library composes text for its own comparison of strings, and offers it only under
// this name, as it does to Foundation. A test compares it with Foundation's composition over every
// scalar.

/// Unicode Normalization Form C without Foundation, which would cost a short process 6 ms to load.
///
/// Source: UAX #15.
package enum PasswordComposition {
  package static func composed(_ text: String) -> String { String(String.UnicodeScalarView(text._nfc)) }
}
