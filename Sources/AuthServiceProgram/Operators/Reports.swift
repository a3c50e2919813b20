import AuthBackend
import AuthCore
import AuthMessages
import AuthService
import TextFormat

/// What operators read.
extension Health {
  /// A line for each thing to know.
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

  /// Source: prometheus.io/docs/instrumenting/exposition_formats, and /docs/practices/naming.
  func metrics(databaseSize: Int?) -> String {
    var lines: [String] = []
    func add(_ name: String, _ kind: String, _ help: String, _ values: [(labels: String, value: Double)]) {
      lines += ["# HELP auth_service_\(name) \(help)", "# TYPE auth_service_\(name) \(kind)"]
      lines += values.map { "auth_service_\(name)\($0.labels) \(Self.number($0.value))" }
    }
    func add(_ name: String, _ kind: String, _ help: String, _ value: Int) {
      add(name, kind, help, [("", Double(value))])
    }
    let (counts, limits) = (status.counts, status.limits)
    add("up", "gauge", "Whether the service answers.", 1)
    add("build_info", "gauge", "The version.", [("{version=\"\(Release.version)\"}", 1)])
    add("start_time_seconds", "gauge", "When the service started, since 1970.", Int(status.startedAt.seconds))
    add("database_up", "gauge", "Whether a write to the database succeeded now.", write.fault == nil ? 1 : 0)
    add(
      "socket_up", "gauge", "Whether a request over the socket for people succeeded now.", request.fault == nil ? 1 : 0)
    if let databaseSize { add("database_size_bytes", "gauge", "The size of the database.", databaseSize) }
    add("connections", "gauge", "Connections that are open.", status.connections)
    add("connections_total", "counter", "Connections that were accepted.", Int(clamping: counts.accepted))
    add("subscribers", "gauge", "Connections that follow changes.", status.subscribers)
    let pools = [("requests", status.requests), ("passwords", status.passwords)]
    add("running", "gauge", "Requests that run.", pools.map { ("{pool=\"\($0.0)\"}", Double($0.1.running)) })
    add("waiting", "gauge", "Requests that wait.", pools.map { ("{pool=\"\($0.0)\"}", Double($0.1.waiting)) })
    add(
      "oldest_waiting_seconds", "gauge", "How long the oldest waiting request waits.",
      pools.map { ("{pool=\"\($0.0)\"}", $0.1.oldest / .seconds(1)) })
    add("requests_total", "counter", "Requests that were answered.", counts.times.values.reduce(0) { $0 + $1.count })
    add(
      "passwords_total", "counter", "Requests with a password that were answered.", counts.times[.hashes]?.count ?? 0)
    add("unavailable_total", "counter", "Requests that the database did not answer.", counts.unavailable)
    let name = "request_duration_seconds"
    lines += [
      "# HELP auth_service_\(name) How long requests took, with their wait.", "# TYPE auth_service_\(name) histogram",
    ]
    for work in RequestWork.allCases {
      let times = counts.times[work] ?? Durations()
      let label = "work=\"\(work.rawValue)\""
      for (index, bound) in (Durations.bounds.map(Self.number) + ["+Inf"]).enumerated() {
        let count = times.counts[...index].reduce(0, +)
        lines.append("auth_service_\(name)_bucket{\(label),le=\"\(bound)\"} \(count)")
      }
      lines += [
        "auth_service_\(name)_sum{\(label)} \(times.sum)", "auth_service_\(name)_count{\(label)} \(times.count)",
      ]
    }
    let users = counts.users.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.prefix(10)
    add(
      "user_requests_total", "counter", "Requests that were answered, of the ten busiest users of the machine.",
      users.map { ("{uid=\"\($0.key)\"}", Double($0.value)) })
    let reasons = counts.refused.sorted { $0.key < $1.key }
    add(
      "refused_total", "counter", "Refusals by reason.", reasons.map { ("{reason=\"\($0.key)\"}", Double($0.value)) })
    let most = [
      ("connections", limits.connections.all), ("connections_per_user", limits.connections.ofUser),
      ("requests", limits.requests.all), ("requests_per_user", limits.requests.ofUser),
      ("passwords", limits.passwords.all), ("passwords_per_user", limits.passwords.ofUser),
      ("names_per_user", limits.namesOfUser), ("failures_per_user", limits.failuresOfUser),
      ("database_threads", limits.databaseThreads), ("hash_threads", limits.hashThreads),
    ]
    add("limit", "gauge", "The limits of the service.", most.map { ("{of=\"\($0.0)\"}", Double($0.1)) })
    return lines.map { $0 + "\n" }.joined()
  }

  private static func number(_ value: Double) -> String {
    value == value.rounded() ? "\(Int64(value))" : "\(value)"
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
      "Last payment: \(moment(lastPayment)). Later payments are gone; their keys would pay again, and new payments get their numbers.",
      "Last event before this: \(moment(lastEvent)).",
    ]
    return lines.map { $0 + "\n" }.joined()
  }
}
