import Glibc

/// The memory of a process that is in use now, in bytes.
enum Resident {
  static var own: Double { require("statm") { try of(getpid()) } }

  static func of(_ process: pid_t) throws -> Double {
    let fields = try BenchFile.read("/proc/\(process)/statm").split(separator: " ")
    guard fields.count > 1, let pages = Double(fields[1]) else { throw BenchError("/proc/\(process)/statm") }
    return pages * Double(sysconf(Int32(_SC_PAGESIZE)))
  }
}
