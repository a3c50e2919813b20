import Glibc

/// What the figures were taken on, without its name.
enum Machine {
  static var facts: [(name: String, value: String)] {
    [
      ("processor", processor), ("cores", String(sysconf(Int32(_SC_NPROCESSORS_ONLN)))), ("kernel", kernel),
      ("file_system", fileSystem), ("load", load),
    ]
  }

  /// One line for the head of a report.
  static var summary: String {
    facts.map { "\($0.name.replacingUnderscore) \($0.value)" }.joined(separator: ", ")
  }

  private static var processor: String {
    let lines = (try? BenchFile.read("/proc/cpuinfo"))?.split(separator: "\n") ?? []
    let model = lines.first { $0.hasPrefix("model name") }?.split(separator: ":").last
    return model.map { String($0.drop { $0 == " " }) } ?? "unknown"
  }

  private static var kernel: String {
    let release = (try? BenchFile.read("/proc/sys/kernel/osrelease")) ?? "unknown"
    return "Linux " + String(release.prefix { $0 != "\n" && $0 != "-" })
  }

  private static var load: String {
    var averages = [0.0, 0, 0]
    guard getloadavg(&averages, 3) > 0 else { return "unknown" }
    return TextReport.fixed(averages[0], places: 1)
  }

  /// The type of the file system that the measurements write to: the last mount whose path begins
  /// that of the directory.
  private static var fileSystem: String {
    let mounts = (try? BenchFile.read("/proc/self/mounts"))?.split(separator: "\n") ?? []
    let place = BenchDirectory.base + "/"
    var best = (length: -1, type: "unknown")
    for mount in mounts {
      let fields = mount.split(separator: " ")
      guard fields.count > 2 else { continue }
      let path = fields[1] == "/" ? "/" : fields[1] + "/"
      if place.hasPrefix(path), path.utf8.count >= best.length { best = (path.utf8.count, String(fields[2])) }
    }
    return best.type
  }
}

extension String {
  fileprivate var replacingUnderscore: String { String(map { $0 == "_" ? " " : $0 }) }
}
