package import AuthAccounts
package import AuthCore

/// A message from the service to a client.
package enum ServerFrame: Sendable {
  /// The first frame, sent as soon as a client is connected.
  case hello(ServiceHello)
  /// The response to a request, and the instant at which it was given on the clock of the database;
  /// nil when that is not known.
  case response(UInt32, now: BootInstant?, WireBody)
  /// The error of a request.
  case failure(UInt32, now: BootInstant?, BackendError)
  /// Something may have changed for a subscriber.
  case changed
}

/// The description that a service sends of itself and its database.
package struct ServiceHello: Hashable, Sendable {
  /// Names the database, for as long as it exists: 16 bytes as hexadecimal text.
  ///
  /// A session file keeps it, so that no token is shown to another database.
  package let database: String
  /// The present instant on the clock of the database; nil when that is not known.
  package let now: BootInstant?
  /// The limits of its sessions.
  package let policy: SessionPolicy

  package init(database: String, now: BootInstant?, policy: SessionPolicy) {
    (self.database, self.now, self.policy) = (database, now, policy)
  }
}

extension ServiceHello: WireRecord {
  package static let parts = WireParts<ServiceHello>(
    { (_: ProtocolVersion, database, now, policy) in ServiceHello(database: database, now: now, policy: policy) },
    \.version, \.database, \.now, \.policy)

  private var version: ProtocolVersion { ProtocolVersion() }
}

extension ServerFrame: WireUnion {
  package static let forms: [WireForm<ServerFrame>] = [
    WireForm(Self.hello) { if case .hello(let hello) = $0 { hello } else { nil } },
    WireForm(Self.response) { if case .response(let id, let now, let body) = $0 { (id, now, body) } else { nil } },
    WireForm(Self.failure) { if case .failure(let id, let now, let error) = $0 { (id, now, error) } else { nil } },
    WireForm(Self.changed) { if case .changed = $0 { true } else { false } },
  ]

  /// The frame with its length.
  ///
  /// An answer that is too long becomes a failure that says so.
  package func encoded() -> [UInt8] {
    do throws(WireFault) {
      return try WireWriter(for: .plain).put(self).frame
    } catch {
      guard case .response(let id, let now, _) = self else { return [] }
      return ServerFrame.failure(id, now: now, .unavailable(.answerTooLong, "\(Frames.longest)")).encoded()
    }
  }

  /// Reads a frame without its length.
  package init(payload: [UInt8], for form: TokenForm = .plain) throws(WireFault) {
    self = try WireReader.whole(payload, for: form)
  }
}
