import AuthCore

extension AuthorityContract {
  // An authority that grants no access tokens passes all of these.
  static let accessTokens: [Check] = [
    // A token without an end would be renewed for every request.
    Check("an access token has a value and a deadline") { probe in
      guard let token = try await probe.logIn().accessToken else { return }
      try require(!token.value.isEmpty, "the access token of a login is empty")
      try require(token.deadline != .unknown, "the access token of a login does not say when it ends")
    },

    // Otherwise a session could not replace the token of its login when that ends.
    Check("an authority that grants access tokens grants one with each renewal") { probe in
      let grant = try await probe.logIn()
      guard grant.accessToken != nil else { return }
      let renewed = try await probe.renew(grant.token)
      try require(renewed.accessToken != nil, "a renewal granted no access token")
      let again = try await probe.reauthenticate(renewed.token)
      try require(again.accessToken != nil, "a reauthentication granted no access token")
    },

    // A server may have refused the earlier one. Another user must never get it.
    Check("no access token is granted twice") { probe in
      var seen: Set<String> = []
      for credentials in [probe.subject.first, probe.subject.second, probe.subject.first] {
        let grant = try await probe.logIn(credentials)
        let renewed = try await probe.renew(grant.token)
        for token in [grant.accessToken, renewed.accessToken].compactMap(\.self) {
          try require(seen.insert(token.value).inserted, "an access token was granted before")
        }
      }
    },
  ]
}
