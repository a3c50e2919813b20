import AuthCore
import AuthLocal

extension Workspace {
  /// `profile [--name N]`: one's own account; a new name is a change of the session, which open screens follow.
  func profile(newName: String?) async throws(Refusal) -> Answer {
    var session = try await activeSession()
    let profile: Profile
    do throws(LeaseError<LocalFailure>) {
      profile = try session.withLease { (lease) throws(LocalFailure) in
        if let newName { _ = try authority.rename(to: newName, token: lease.token) }
        return try authority.profile(token: lease.token)
      }
    } catch {
      throw Refusal(error)
    }
    if newName != nil {
      do throws(SessionFailure) {
        session = try await store.check()
      } catch {
        throw Refusal(error)
      }
    }
    let user = profile.user
    return Answer(
      lines: bar("Profile") + [
        "Name      \(escaping: user.displayName)", "Username  \(escaping: user.username)",
        "Role      \(user.role.rawValue)", "Balance   \(Amount.text(profile.balance))",
        "Since     \(UTCTime(seconds: profile.createdAt.seconds).local)",
      ],
      [
        "user": .user(user), "balance": .string(Amount.text(profile.balance)),
        "created_at": .string(profile.createdAt.iso8601),
      ])
  }
}
