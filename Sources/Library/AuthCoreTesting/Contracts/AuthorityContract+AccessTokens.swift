import AuthCore

extension AuthorityContract {
  // An authority that grants no access tokens passes all of these.
  static let accessTokens: [Check] = [
    // A token without an end would be renewed for every request.
    Check(name: "an access token has a value and a deadline") { subject in
      guard let token = try await subject.logIn().accessToken else { return }
      try require(!token.value.isEmpty, "the access token of a login is empty")
      try require(token.deadline != .unknown, "the access token of a login does not say when it ends")
    },

    // Otherwise a session could not replace the token of its login when that ends.
    Check(name: "an authority that grants access tokens grants one with each renewal") { subject in
      let grant = try await subject.logIn()
      guard grant.accessToken != nil else { return }
      let renewed = try await subject.renew(grant.token)
      try require(renewed.accessToken != nil, "a renewal granted no access token")
      let again = try await subject.reauthenticate(renewed.token)
      try require(again.accessToken != nil, "a reauthentication granted no access token")
    },

    // A server may have refused the earlier one. Another user must never get it.
    Check(name: "no access token is granted twice") { subject in
      var seen: Set<String> = []
      for credentials in [subject.first, subject.second, subject.first] {
        let grant = try await subject.logIn(credentials)
        let renewed = try await subject.renew(grant.token)
        for token in [grant.accessToken, renewed.accessToken].compactMap(\.self) {
          try require(seen.insert(token.value).inserted, "an access token was granted before")
        }
      }
    },
  ]
}
