package import AuthCore

/// What a password must be when it is set.
///
/// Nothing is asked of its composition, and it never expires.
/// Source: NIST SP 800-63B-4, section 3.1.1.2: 15 characters for a password that is the only factor, a blocklist,
/// context-specific words.
package enum PasswordPolicy {
  /// Characters, counted as Unicode scalars after composition.
  package static let shortest = 15

  /// The password in the form to hash.
  ///
  /// - Throws: ``BackendError`` of kind `invalid` with the rule that it breaks.
  package static func accept(_ password: Password, for username: Username) throws(BackendError) -> NormalizedPassword {
    let normalized = try normalize(password)
    let text = normalized.text
    // The composition of scalars that are not assigned yet may change with a new version of Unicode (UAX #15, section
    // 3).
    guard !text.unicodeScalars.contains(where: { $0.properties.generalCategory == .unassigned }) else {
      throw .invalid(
        "password_unassigned", "The password holds characters that Unicode has not assigned.", hint: "Choose others.")
    }
    let length = text.unicodeScalars.count
    guard length >= shortest else {
      throw .invalid(
        "password_too_short", "The password has \(length) characters; at least \(shortest) are needed.",
        hint: "Several words make a good password; spaces are allowed.")
    }
    guard Set(text.unicodeScalars.filter { !$0.properties.isWhitespace }).count > 1 else {
      throw .invalid(
        "password_repeats", "The password is one character repeated, or nothing but blanks.",
        hint: "Several words make a good password; spaces are allowed.")
    }
    let folded = text.lowercased()
    guard !BlockedPasswords.all.contains(folded), !isMadeOfContext(folded) else {
      throw .invalid(
        "password_blocked", "The password is one of those that are tried first.",
        hint: "Choose one that is yours alone.")
    }
    guard !contains(username, folded) else {
      throw .invalid(
        "password_contains_name", "The password contains the name of the account.", hint: "Choose another.")
    }
    return normalized
  }

  package static func normalize(_ password: Password) throws(BackendError) -> NormalizedPassword {
    do {
      return try NormalizedPassword(password)
    } catch {
      switch error {
      case .notText:
        throw .invalid(
          "password_not_text", "The password is not valid UTF-8.", hint: "Check the encoding of the input.")
      case .containsNUL:
        throw .invalid("password_has_nul", "The password contains a NUL character.", hint: "Choose another.")
      case .tooLong(let bytes):
        throw .invalid(
          "password_too_long", "The password has \(bytes) bytes; at most \(NormalizedPassword.longest) are accepted.",
          hint: "Choose a shorter one; nothing is ever cut off.")
      }
    }
  }

  /// A name of three letters or fewer occurs in many good passwords by chance; only its repetition is refused.
  private static func contains(_ username: Username, _ folded: String) -> Bool {
    let name = username.canonical
    let rest = removing(name, from: folded)
    return name.utf8.count > 3 ? rest != folded : isNearlyEmpty(rest)
  }

  /// The text without any occurrence of the word, byte for byte.
  ///
  /// `split(separator:)` with a string would bring the engine of regular expressions into a static executable, 1.3 MB.
  private static func removing(_ word: String, from text: String) -> String {
    var rest: [UInt8] = []
    var bytes = Array(text.utf8)[...]
    while let byte = bytes.first {
      if bytes.starts(with: word.utf8) {
        bytes = bytes.dropFirst(word.utf8.count)
      } else {
        rest.append(byte)
        bytes = bytes.dropFirst()
      }
    }
    return String(decoding: rest, as: UTF8.self)
  }

  private static func isMadeOfContext(_ folded: String) -> Bool {
    var rest = folded
    for word in ["auth-cli", "authcli", "authcore", "password", "passwort", "passphrase", "login", "secret", "welcome"]
    {
      rest = removing(word, from: rest)
    }
    return rest != folded && isNearlyEmpty(rest)
  }

  private static func isNearlyEmpty(_ rest: String) -> Bool {
    rest.unicodeScalars.count { $0.properties.isAlphabetic } < 4
  }
}
