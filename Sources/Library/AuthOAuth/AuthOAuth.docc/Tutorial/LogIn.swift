import AuthCore
import AuthOAuth

extension Inbox {
  func logIn() async throws -> LoggedInSession? {
    let device = try await authority.deviceAuthorization()
    print("Open \(device.verificationURI) and enter \(device.userCode)")
    switch try await store.logIn(try await device.credentials()) {
    case .loggedIn(let session): return session
    case .challenged(let challenge):
      store.cancel(challenge)  // no server of OAuth 2.0 asks for a second step here: it asks in the browser
      return nil
    }
  }
}
