extension String {
  /// The sentence as it is printed after "auth-cli: ": no capital at its head, no full stop at its
  /// end.
  package var asClause: String {
    let body = hasSuffix(".") ? String(dropLast()) : self
    let isPlain = body.dropFirst().first.map { $0.isLowercase || $0 == " " } ?? false
    return isPlain ? body.prefix(1).lowercased() + body.dropFirst() : body
  }
}
