import AuthAccounts
import AuthCore
import AuthMessages
import AuthRules
import AuthServer
import AuthService
import TextFormat

extension Health {
  /// The report of `health`: a line for each fact.
  var text: String {
    let lines =
      (problems.isEmpty ? ["Healthy."] : problems.map { "Not healthy: \($0)." }) + [
        "A write took \(Self.milliseconds(write)) ms, and a request over the socket \(Self.milliseconds(request)) ms.",
        "Connections: \(status.connections) open, \(status.subscribers) following changes",
        "Requests: \(status.requests.running) running, \(status.requests.waiting) waiting",
        "Passwords: \(status.passwords.running) being checked, \(status.passwords.waiting) waiting",
        "The oldest waiting request waits for \(oldest.words).",
      ]
    return lines.map { $0 + "\n" }.joined()
  }

  /// The report of `health --json`.
  var json: String {
    let (requests, passwords) = (status.requests, status.passwords)
    return JSON.document([
      "healthy": .bool(problems.isEmpty), "problems": .array(problems.map { .string($0) }),
      "database_fault": .string(orNull: write.fault), "socket_fault": .string(orNull: request.fault),
      "write_ms": .integer(Self.milliseconds(write)), "request_ms": .integer(Self.milliseconds(request)),
      "oldest_waiting_ms": .integer(oldest.wholeNanoseconds / 1_000_000),
      "failed_lately": .integer(Int64(status.counts.faults.count())),
      "connections": .integer(Int64(status.connections)), "subscribers": .integer(Int64(status.subscribers)),
      "requests_running": .integer(Int64(requests.running)), "requests_waiting": .integer(Int64(requests.waiting)),
      "passwords_running": .integer(Int64(passwords.running)),
      "passwords_waiting": .integer(Int64(passwords.waiting)),
    ])
  }

  private static func milliseconds(_ finding: HealthProbe.Finding) -> Int64 {
    finding.took.wholeNanoseconds / 1_000_000
  }
}

extension Event {
  /// A line of an archive.
  var archived: JSON {
    [
      "id": .integer(id), "at": .string(at.iso8601), "microseconds": .integer(at.microseconds),
      "name": .string(name), "account": .string(orNull: account), "actor": .string(orNull: actor),
      "session": .string(orNull: session?.rawValue), "detail": .string(orNull: detail),
    ]
  }
}

extension RestoreReport {
  var text: String {
    func list(_ names: Names) -> String {
      let shown = names.first.map(\.escaped).joined(separator: ", ")
      if names.count == 0 { return "none" }
      return names.count > names.first.count ? "\(shown) and \(names.count - names.first.count) more" : shown
    }
    func moment(_ moment: Moment?) -> String { moment.map { "number \($0.id) at \($0.at.iso8601)" } ?? "none" }
    let lines = [
      "Sessions ended: \(sessions). Codes voided: \(codes).",
      "Check these, which may have changed since the backup was made:",
      "  administrators: \(list(administrators))", "  disabled accounts: \(list(disabled))",
      "  accounts with a second step: \(list(withTwoStep))",
      "  passwords: changes since the backup are undone; tell your users",
      "Last payment: \(moment(lastPayment)). Later payments are lost: a retry of one would pay again.",
      "New receipts get numbers from \(nextReceipt) on: 10,000 are skipped for each second since then.",
      "Last event in the backup: \(moment(lastEvent)).",
    ]
    return lines.map { $0 + "\n" }.joined()
  }
}
