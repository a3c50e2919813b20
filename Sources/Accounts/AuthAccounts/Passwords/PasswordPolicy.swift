/// The rules for a new password.
///
/// There are no rules about letters, digits or symbols, and a password never expires.
/// Source: NIST SP 800-63B-4, section 3.1.1.2: 15 characters for a password that is the only
/// factor, a blocklist, context-specific words.
package enum PasswordPolicy {
  /// Characters, counted as Unicode scalars after composition.
  package static let shortest = 15

  /// The most bytes in UTF-8 after composition: libcrypt takes `CRYPT_MAX_PASSPHRASE_SIZE` bytes,
  /// with a NUL at the end.
  package static let longest = 511
}
