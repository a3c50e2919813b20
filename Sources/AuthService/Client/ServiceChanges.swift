import AuthBackend
import AuthCore
import Glibc

/// Listens on a connection of its own, which the service tells when something changes for the
/// account of the session.
///
/// What is wrong with the service is found by the read that follows, which says it.
final class ServiceChanges: ChangeSource {
  private let base: ServiceAuthority
  private var link: ServiceLink?
  /// The session whose changes are told, or could not be.
  private var session: SessionID?

  init(_ base: ServiceAuthority) { self.base = base }

  func listen() -> Bool {
    guard let grant = base.session else { return false }
    if link != nil, session == grant.id { return true }
    link = subscribed(grant)
    session = grant.id
    return link != nil
  }

  var descriptor: Int32 { link?.descriptor ?? -1 }

  /// Without a connection it looks again from time to time, and at once for a session that began
  /// after ``listen()``.
  var longestWait: Duration? {
    if link != nil { return nil }
    return base.session.map { $0.id == session } ?? true ? .seconds(5) : .zero
  }

  func drain() -> Bool {
    guard let link else { return true }
    do throws(ServiceFault) {
      return try link.drain()
    } catch {
      self.link = nil
      return true
    }
  }

  /// Nobody is asked for a password in the background.
  private func subscribed(_ grant: Grant) -> ServiceLink? {
    guard let (link, hello) = try? Dialling(address: base.address, limits: base.limits, mayAsk: false).connect(),
      let frame = try? base.encoded(.subscribe(1, grant.token), for: hello)
    else { return nil }
    let deadline = AnswerDeadline(in: base.limits.answer)
    guard (try? link.send(frame, until: deadline)) != nil,
      case .answer(1, _, .done)? = try? link.receive(for: .plain, until: deadline)
    else { return nil }
    return link
  }
}
