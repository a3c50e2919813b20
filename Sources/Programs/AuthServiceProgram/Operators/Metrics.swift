import AuthAccounts
import AuthCore
import AuthMessages
import AuthServer
import AuthService
import CommandLineKit
import TextFormat

extension Health {
  /// The report of `metrics`, in the text format of Prometheus.
  ///
  /// Source: prometheus.io/docs/instrumenting/exposition_formats, and /docs/practices/naming.
  func metrics(databaseSize: Int?) -> String {
    var lines: [String] = []
    func head(_ name: String, _ kind: String, _ help: String) {
      lines += ["# HELP auth_service_\(name) \(help)", "# TYPE auth_service_\(name) \(kind)"]
    }
    func add(_ name: String, _ kind: String, _ help: String, _ values: [(labels: String, value: Double)]) {
      head(name, kind, help)
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
    if let databaseSize {
      add("database_size_bytes", "gauge", "The size of the database; on SQLite with its write-ahead log.", databaseSize)
    }
    add("connections", "gauge", "Connections that are open.", status.connections)
    add("connections_total", "counter", "Connections that were accepted.", Int(clamping: counts.accepted))
    add("subscribers", "gauge", "Connections that follow changes.", status.subscribers)
    let pools = [("requests", status.requests), ("searches", status.searches), ("passwords", status.passwords)]
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
    head(name, "histogram", "How long requests took, with their wait.")
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
    let most =
      [("requests", limits.requests.all), ("passwords", limits.passwords.all)]
      + RunCommand.counts.map { ($0.option.declaration.long.replacing("-", with: "_"), limits[keyPath: $0.limit]) }
    add("limit", "gauge", "The limits of the service.", most.map { ("{of=\"\($0.0)\"}", Double($0.1)) })
    return lines.map { $0 + "\n" }.joined()
  }

  private static func number(_ value: Double) -> String {
    value == value.rounded() ? "\(Int64(value))" : "\(value)"
  }
}
