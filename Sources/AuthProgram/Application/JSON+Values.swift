import AuthBackend
import AuthCore
import TextFormat

// How the values of the domain look in JSON documents.

extension JSON {
  static func user(_ user: User) -> JSON {
    [
      "id": .string(user.id.rawValue), "username": .string(user.username), "name": .string(user.displayName),
      "role": .string(user.role.rawValue),
    ]
  }

  /// A session with its limits, as moments of the wall clock.
  static func session(_ id: SessionID, _ limits: SessionLimits, _ deadlines: Deadlines) -> JSON {
    [
      "id": .string(id.rawValue),
      "idle_until": .string(orNull: deadlines.moment(limits.idle)?.iso8601),
      "absolute_until": .string(orNull: deadlines.moment(limits.absolute)?.iso8601),
      "fresh_until": .string(orNull: deadlines.moment(limits.fresh)?.iso8601),
    ]
  }

  /// The connection to a service; null for the embedded backend.
  static func server(_ connection: BackendConnection?) -> JSON {
    guard let connection else { return .null }
    return [
      "place": .string(connection.place), "database": .string(connection.database),
      "encryption": .string(orNull: connection.encryption),
    ]
  }

  static func receipt(_ receipt: Receipt) -> JSON {
    [
      "id": .integer(receipt.id), "payer": .string(orNull: receipt.payer), "payee": .string(receipt.payee),
      "amount": .string(receipt.amount.description), "made_at": .string(receipt.madeAt.iso8601),
      "idempotency_key": .string(orNull: receipt.key),
    ]
  }
}
