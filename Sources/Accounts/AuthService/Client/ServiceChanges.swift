import AuthAccounts
import AuthCore
import Glibc

/// Listens on a connection of its own, on which the service notifies of changes for the account of
/// the session.
///
/// It reports no fault of the service; the read that follows does.
final class ServiceChanges: ChangeSource {
  private let base: ServiceAuthority
  private var link: ServiceLink?
  /// The token of the last attempt to subscribe, successful or not.
  private var token: SessionToken?
  /// When the service last sent a notice.
  private var toldAt: ContinuousClock.Instant?

  init(_ base: ServiceAuthority) { self.base = base }

  func listen() -> Bool {
    guard let grant = base.session else { return false }
    if link != nil, token == grant.token { return true }
    link = subscribed(grant)
    token = grant.token
    return link != nil
  }

  var descriptor: Int32 { link?.descriptor ?? -1 }

  /// Short without a connection, and zero for a session or token that is newer than ``listen()``.
  ///
  /// After a notice it is short too: the notice may be about the exchange of the token, and the
  /// service sends no more notices for the old one.
  var longestWait: Duration? {
    if let grant = base.session, grant.token != token { return .zero }
    if link == nil { return .seconds(5) }
    return toldAt.map { .now - $0 < .seconds(10) } == true ? .seconds(2) : nil
  }

  func drain() -> Bool {
    guard let link else { return true }
    toldAt = .now
    do throws(ServiceFault) {
      return try link.drain()
    } catch {
      self.link = nil
      return true
    }
  }

  /// A new connection that is subscribed; ssh may not prompt, because this runs in the background.
  private func subscribed(_ grant: Grant) -> ServiceLink? {
    guard let (link, hello, _) = try? Dialling(address: base.address, limits: base.limits, mayAsk: false).connect(),
      let frame = try? base.encoded(for: hello, { _ in .subscribe(1, grant.token) })
    else { return nil }
    let deadline = ResponseDeadline(in: base.limits.answer)
    guard (try? link.send(frame, until: deadline)) != nil,
      case .response(1, _, let body)? = try? link.receive(for: .plain, until: deadline),
      body.bytes == WireBody.done.bytes
    else { return nil }
    return link
  }
}
