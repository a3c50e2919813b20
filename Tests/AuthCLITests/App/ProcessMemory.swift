import Glibc
import Terminals

/// What root sees of the memory of another process.
enum ProcessMemory {
  /// How often a text is in the memory that the process can write.
  static func count(_ text: String, in process: pid_t) throws -> Int {
    guard let maps = fopen("/proc/\(process)/maps", "r") else { throw failure("maps") }
    defer { fclose(maps) }
    let memory = open("/proc/\(process)/mem", O_RDONLY)
    guard memory >= 0 else { throw failure("mem") }
    defer { close(memory) }
    var count = 0
    var line = [CChar](repeating: 0, count: 4096)
    while fgets(&line, 4096, maps) != nil {
      let words = String(decoding: line.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self).split(
        separator: " ")
      let ends = words[0].split(separator: "-").compactMap { Int($0, radix: 16) }
      guard ends.count == 2, words[1].hasPrefix("rw") else { continue }
      count += occurrences(of: text, in: memory, ends[0]..<ends[1])
    }
    return count
  }

  private static func occurrences(of text: String, in memory: Int32, _ range: Range<Int>) -> Int {
    let piece = 1 << 20
    let bytes = UnsafeMutableRawPointer.allocate(byteCount: piece, alignment: 1)
    defer { bytes.deallocate() }
    var count = 0
    let wanted = Array(text.utf8)
    // No text of a test crosses the border of such a piece of memory.
    for start in stride(from: range.lowerBound, to: range.upperBound, by: piece) {
      let read = pread(memory, bytes, min(piece, range.upperBound - start), start)
      var (rest, left) = (bytes, read)
      while left >= wanted.count, let found = memchr(rest, Int32(wanted[0]), left - wanted.count + 1) {
        if memcmp(found, wanted, wanted.count) == 0 { count += 1 }
        left -= found - rest + 1
        rest = found + 1
      }
    }
    return count
  }

  private static func failure(_ file: String) -> PseudoTerminal.Failure {
    PseudoTerminal.Failure(description: "cannot read \(file) of the process: error \(errno)")
  }
}
