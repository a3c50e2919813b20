import AuthCore

extension InboxScreen {
  @MainActor func messages(
    get: (_ authorization: String) async throws -> (status: Int, count: Int)
  ) async throws -> Int {
    try await key.session.withAccess { (token: borrowing LentAccessToken) in
      let answer = try await get(token.header)
      if answer.status == 401 { throw AccessTokenRefused() }
      return answer.count
    }
  }
}
