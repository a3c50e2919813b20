import AuthBackend
import AuthCore
import AuthService
import TextFormat

/// What operators read.
extension ServiceStatus {
  /// A line for each thing to know.
  var text: String {
    let lines = [
      fault.map { "The database does not answer: \($0) (auth-service help codes)" } ?? "The database answers.",
      "Connections: \(connections) open, \(subscribers) following changes",
      "Requests: \(requests.running) running, \(requests.waiting) waiting",
      "Passwords: \(passwords.running) being checked, \(passwords.waiting) waiting",
    ]
    return lines.map { $0 + "\n" }.joined()
  }

  var json: String {
    JSON.document([
      "healthy": .bool(fault == nil), "database_fault": .string(orNull: fault),
      "connections": .integer(Int64(connections)), "subscribers": .integer(Int64(subscribers)),
      "requests_running": .integer(Int64(requests.running)), "requests_waiting": .integer(Int64(requests.waiting)),
      "passwords_running": .integer(Int64(passwords.running)),
      "passwords_waiting": .integer(Int64(passwords.waiting)),
    ])
  }

  /// Source: prometheus.io/docs/instrumenting/exposition_formats.
  var metrics: String {
    var lines: [String] = []
    func add(_ name: String, _ kind: String, _ help: String, _ values: [(labels: String, value: Int)]) {
      lines += ["# HELP auth_service_\(name) \(help)", "# TYPE auth_service_\(name) \(kind)"]
      lines += values.map { "auth_service_\(name)\($0.labels) \($0.value)" }
    }
    add("up", "gauge", "Whether the service answers.", [("", 1)])
    add("database_up", "gauge", "Whether the database answered the last time.", [("", fault == nil ? 1 : 0)])
    add("connections", "gauge", "Connections that are open.", [("", connections)])
    add("connections_total", "counter", "Connections that were accepted.", [("", Int(clamping: counts.accepted))])
    add("subscribers", "gauge", "Connections that follow changes.", [("", subscribers)])
    let pools = [("requests", requests), ("passwords", passwords)]
    add("running", "gauge", "Requests that run.", pools.map { ("{pool=\"\($0.0)\"}", $0.1.running) })
    add("waiting", "gauge", "Requests that wait.", pools.map { ("{pool=\"\($0.0)\"}", $0.1.waiting) })
    add("requests_total", "counter", "Requests that were answered.", [("", counts.answered)])
    add("passwords_total", "counter", "Requests with a password that were answered.", [("", counts.hashed)])
    add("unavailable_total", "counter", "Requests that the database did not answer.", [("", counts.unavailable)])
    let reasons = counts.refused.sorted { $0.key < $1.key }
    add("refused_total", "counter", "Refusals by reason.", reasons.map { ("{reason=\"\($0.key)\"}", $0.value) })
    return lines.map { $0 + "\n" }.joined()
  }
}

extension Event {
  /// A line of an archive.
  var archived: JSON {
    let session: JSON =
      switch self.session {
      case .named(let id): .string(id.rawValue)
      case .hashed(let hash): .string(hash)
      case nil: .null
      }
    return [
      "id": .integer(id), "at": .string(at.iso8601), "microseconds": .integer(at.microseconds),
      "name": .string(name), "account": .string(orNull: account), "actor": .string(orNull: actor),
      "session": session, "detail": .string(orNull: detail),
    ]
  }
}

extension RestoreReport {
  var text: String {
    func list(_ names: Names) -> String {
      let shown = names.first.map(\.escaped).joined(separator: ", ")
      if names.count == 0 { return "nobody" }
      return names.count > names.first.count ? "\(shown) and \(names.count - names.first.count) more" : shown
    }
    func moment(_ moment: Moment?) -> String { moment.map { "number \($0.id) at \($0.at.iso8601)" } ?? "none" }
    let lines = [
      "Sessions ended: \(sessions). Codes voided: \(codes).",
      "Check these, which may have changed since the backup was made:",
      "  administrators: \(list(administrators))", "  disabled accounts: \(list(disabled))",
      "  accounts with a second step: \(list(withTwoStep))",
      "  passwords: changes since the backup are undone; tell your users",
      "Last payment: \(moment(lastPayment)). Later payments are gone, and their keys would pay again.",
      "Last event before this: \(moment(lastEvent)).",
    ]
    return lines.map { $0 + "\n" }.joined()
  }
}
