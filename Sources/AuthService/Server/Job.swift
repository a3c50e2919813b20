import AuthBackend
import AuthCore

/// A request on its way to a thread that answers it.
struct Job: Sendable {
  enum Question: Sendable {
    case request(BackendRequest)
    case subscribe(SessionToken)
  }

  let connection: Connection
  let id: UInt32
  let question: Question
  let since = ContinuousClock.now
}
