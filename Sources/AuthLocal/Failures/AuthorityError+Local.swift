import AuthBackend
import AuthCore

extension BackendError {
  /// The failure in the vocabulary of `Authority`, where `rejection` picks the kinds that are an answer.
  ///
  /// A kind that the operation cannot give becomes an answer that was not understood, so that it never ends a session.
  func asAuthorityFailure<Rejection>(_ rejection: (Kind) -> Rejection?) -> AuthorityError<Rejection> {
    if let rejected = rejection(kind) { return .rejected(rejected) }
    switch kind {
    case .throttled(let throttle): return .throttled(throttle)
    case .unavailable(let unavailability): return .unavailable(unavailability)
    case .invalid, .refused, .credentials, .session, .notFresh, .notPermitted:
      return .unavailable(Unavailability(.unparsable, description, hint: hint, code: code))
    }
  }
}
