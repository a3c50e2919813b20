package import AuthAccounts
package import AuthCore
import TextFormat

extension PasswordPolicy {
  /// The password in the form to hash.
  ///
  /// - Throws: ``BackendError`` of kind `invalid` with the rule that it breaks.
  package static func accept(_ password: Secret, for username: Username) throws(BackendError) -> NormalizedPassword {
    let normalized = try NormalizedPassword(password)
    let text = normalized.text
    // An arrow key or the mark of a paste becomes part of the password silently, and nobody can
    // type it again. The composition of scalars that are not assigned yet may change with a new
    // version of Unicode (RFC 8265, section 4.2; UAX #15, section 3).
    if let found = text.unicodeScalars.first(where: \.isUnprintable) {
      throw .invalid(.passwordUnprintable, "\(found.nameOfKind) (\(found.codePoint))")
    }
    let length = text.unicodeScalars.count
    guard length >= shortest else {
      throw .invalid(.passwordTooShort, length == 1 ? "1 character" : "\(length) characters")
    }
    guard Set(text.unicodeScalars.filter { !$0.properties.isWhitespace }).count > 1 else {
      throw .invalid(.passwordRepeats)
    }
    let folded = text.lowercased()
    guard !isCommon(folded) else { throw .invalid(.passwordBlocked) }
    guard !contains(username, folded) else { throw .invalid(.passwordContainsName) }
    return normalized
  }

  /// Whether it is on the list or made of the words of this program, also with spaces and
  /// punctuation between its words: whoever guesses tries these forms, too.
  private static func isCommon(_ folded: String) -> Bool {
    let joined = String(
      folded.unicodeScalars.filter { $0.properties.isAlphabetic || $0.properties.numericType != nil })
    return [folded, joined].contains { BlockedPasswords.all.contains($0) || isMadeOfContext($0) }
  }

  /// A name of three letters or fewer occurs in many good passwords by chance; only its repetition
  /// is refused.
  private static func contains(_ username: Username, _ folded: String) -> Bool {
    let name = username.canonical
    let rest = removing(name, from: folded)
    return rest != folded && (name.utf8.count > 3 || isNearlyEmpty(rest))
  }

  /// The text without any occurrence of the word, byte for byte.
  ///
  /// `split(separator:)` with a string would bring the engine of regular expressions into a static
  /// executable, 1.3 MB.
  private static func removing(_ word: String, from text: String) -> String {
    var rest: [UInt8] = []
    var bytes = Array(text.utf8)[...]
    while !bytes.isEmpty {
      if bytes.starts(with: word.utf8) {
        bytes.removeFirst(word.utf8.count)
      } else {
        rest.append(bytes.removeFirst())
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
