import Foundation
import Programs
import Terminals
import Testing

/// Runs programs under strace(1), and reads what it writes.
enum Strace {
  /// Whether it is installed, and this process may trace.
  static let isHere: Bool = {
    let trial = Program("strace", ["-o", "/dev/null", "true"], timeLimit: .seconds(600))
    return (try? trial.runBlocking())?.ending == .exited(0)
  }()
  static let advice: Comment = "strace is not installed, or may not trace"

  /// All calls that change a disk; those that ``calls(in:below:)`` does not know are errors there.
  private static let traced = [
    "openat", "open", "creat", "lseek", "write", "pwrite64", "writev", "pwritev", "pwritev2", "ftruncate", "truncate",
    "fallocate", "fsync", "fdatasync", "sync", "syncfs", "sync_file_range", "rename", "renameat", "renameat2", "link",
    "linkat", "symlink", "symlinkat", "unlink", "unlinkat", "rmdir", "mkdir", "mkdirat", "copy_file_range", "sendfile",
    "sendto", "sendmsg",
  ]

  /// The words that run a program under it: bytes in hexadecimal digits, and descriptors with their
  /// paths.
  static func words(_ program: [String], log: String) -> [String] {
    let options = ["-f", "-y", "-xx", "-s", "1000000", "-e", "signal=none"]
    return ["strace"] + options + ["-e", "trace=" + traced.joined(separator: ","), "-o", log] + program
  }

  /// The calls of a log on what lies below a directory, in order.
  ///
  /// - Throws: The first such call that is not known.
  static func calls(in log: String, below root: String) throws -> [DiskCall] {
    var reader = Reader(root: root)
    let lines = try Data(contentsOf: URL(fileURLWithPath: log)).split(separator: UInt8(ascii: "\n"))
    return try lines.compactMap { try reader.read(Array($0)) }
  }

  /// Follows the descriptors of a program.
  private struct Reader {
    let root: String
    /// The beginnings of calls that those of another thread interrupted, by thread.
    private var begun: [String: [UInt8]] = [:]
    private var paths: [Int: String] = [:]
    /// Where the next write goes, which programs may share, by path.
    private var positions: [String: Int] = [:]

    init(root: String) { self.root = root }

    mutating func read(_ line: [UInt8]) throws -> DiskCall? {
      let head = String(decoding: line.prefix(80), as: UTF8.self)
      let thread = String(head.prefix { $0 != " " })
      let interrupted = " <unfinished ...>"
      if line.suffix(interrupted.utf8.count).elementsEqual(interrupted.utf8) {
        begun[thread] = line.dropLast(interrupted.utf8.count)
        return nil
      }
      guard let resumed = head.firstRange(of: " resumed>") else { return try Line(line).flatMap { try call($0) } }
      let start = begun.removeValue(forKey: thread) ?? []
      return try Line(start + line.dropFirst(head[..<resumed.upperBound].utf8.count)).flatMap { try call($0) }
    }

    private mutating func call(_ line: Line) throws -> DiskCall? {
      let (count, result) = (line.words.count, line.result)
      switch line.name {
      case "openat":
        let opened = path(line, 0, 1)
        (paths[result], positions[opened]) = (opened, 0)
        let (creates, empties) = (line.words[2].contains("O_CREAT"), line.words[2].contains("O_TRUNC"))
        guard creates || empties else { return nil }
        return call(opened, .open(mode: line.words[count - 1].mode, empties: empties))
      case "lseek":
        positions[line.words[0].path] = result
        return nil
      case "write":
        let position = positions[line.words[0].path, default: 0]
        positions[line.words[0].path] = position + result
        return call(line.words[0].path, .write(at: position, Array(line.words[1].bytes.prefix(result))))
      case "pwrite64":
        let bytes = Array(line.words[1].bytes.prefix(result))
        return call(line.words[0].path, .write(at: line.words[3].number ?? 0, bytes))
      case "ftruncate": return call(line.words[0].path, .resize(line.words[1].number ?? 0))
      // It only makes a file larger.
      case "fallocate":
        return call(
          line.words[0].path,
          .write(at: line.words[2].number ?? 0, Array(repeating: 0, count: line.words[3].number ?? 0)))
      case "fsync", "fdatasync": return call(line.words[0].path, .synchronize)
      case "mkdir": return call(path(line, nil, 0), .makeDirectory(line.words[1].mode))
      case "mkdirat": return call(path(line, 0, 1), .makeDirectory(line.words[2].mode))
      case "unlink", "rmdir": return call(path(line, nil, 0), .remove)
      case "unlinkat": return call(path(line, 0, 1), .remove)
      case "rename": return call(path(line, nil, 0), .rename(to: path(line, nil, 1)))
      case "renameat", "renameat2": return call(path(line, 0, 1), .rename(to: path(line, 2, 3)))
      case "link": return call(path(line, nil, 0), .link(to: path(line, nil, 1)))
      case "copy_file_range":
        // What is copied is not shown; nobody writes to the source.
        let (source, target) = (line.words[0].path, line.words[2].path)
        let (start, position) = (positions[source, default: 0], positions[target, default: 0])
        let content = FileManager.default.contents(atPath: source) ?? Data()
        (positions[source], positions[target]) = (start + result, position + result)
        return call(target, .write(at: position, Array(content.dropFirst(start).prefix(result))))
      case "sendto", "sendmsg": return DiskCall(path: "", change: .answer)
      case _:
        let isForeign = line.words.allSatisfy { !$0.path.hasPrefix(root) && !$0.text.hasPrefix(root) }
        if isForeign, !line.name.hasPrefix("sync") { return nil }
        throw PseudoTerminal.Failure(description: "the disk does not know the call \(line.name)")
      }
    }

    private func call(_ path: String, _ change: DiskCall.Change) -> DiskCall? {
      path.hasPrefix(root) ? DiskCall(path: path, change: change) : nil
    }

    /// The path that a word names, in the directory of another word.
    private func path(_ line: Line, _ directory: Int?, _ name: Int) -> String {
      let name = line.words[name].text
      let descriptors = "/proc/self/fd/"
      if name.hasPrefix(descriptors) {
        let parts = name.dropFirst(descriptors.count).split(separator: "/", maxSplits: 1)
        let start = parts.first.flatMap { Int($0) }.flatMap { paths[$0] } ?? ""
        return parts.count == 2 ? "\(start)/\(parts[1])" : start
      }
      guard !name.hasPrefix("/"), let directory else { return name }
      return "\(line.words[directory].path)/\(name)"
    }
  }

  /// A call that succeeded: `THREAD NAME(WORD, WORD...) = RESULT`.
  private struct Line {
    let name: String
    let words: [Word]
    let result: Int

    init?(_ line: [UInt8]) {
      // No word contains a comma or a parenthesis, because texts are hexadecimal.
      guard let open = line.firstIndex(of: UInt8(ascii: "(")), let close = line.lastIndex(of: UInt8(ascii: "=")),
        let end = line[open..<close].lastIndex(of: UInt8(ascii: ")"))
      else { return nil }
      name = String(decoding: line[..<open], as: UTF8.self).split(separator: " ").last.map(String.init) ?? ""
      words = line[(open + 1)..<end].split(separator: UInt8(ascii: ",")).map { Word($0) }
      guard let result = Word(line[(close + 1)...]).number, result >= 0, !words.isEmpty else { return nil }
      self.result = result
    }
  }

  /// A number, a name, `"TEXT"` or `DESCRIPTOR<PATH>`.
  private struct Word {
    private let raw: ArraySlice<UInt8>

    init(_ raw: ArraySlice<UInt8>) { self.raw = raw.drop { $0 == UInt8(ascii: " ") } }

    var number: Int? {
      Int(String(decoding: raw.prefix { $0 == UInt8(ascii: "-") || (48..<58).contains($0) }, as: UTF8.self))
    }
    var mode: mode_t { mode_t(String(decoding: raw, as: UTF8.self), radix: 8) ?? 0 }
    func contains(_ flag: String) -> Bool { String(decoding: raw, as: UTF8.self).contains(flag) }

    /// What stands between the quotes.
    var bytes: [UInt8] { raw.first == UInt8(ascii: "\"") ? Self.decode(raw.dropFirst()) : [] }
    var text: String { String(decoding: bytes, as: UTF8.self) }
    /// The path of a descriptor.
    var path: String {
      guard let open = raw.firstIndex(of: UInt8(ascii: "<")) else { return "" }
      return String(decoding: Self.decode(raw[(open + 1)...]), as: UTF8.self)
    }

    /// Decodes `\xNN` as often as it stands there.
    private static func decode(_ raw: ArraySlice<UInt8>) -> [UInt8] {
      func digit(_ character: UInt8) -> UInt8 { character < 58 ? character - 48 : character - 87 }
      return raw.withUnsafeBufferPointer { raw in
        var (bytes, place) = ([UInt8](), 0)
        bytes.reserveCapacity(raw.count / 4)
        while place + 3 < raw.count, raw[place] == UInt8(ascii: "\\") {
          bytes.append(digit(raw[place + 2]) << 4 | digit(raw[place + 3]))
          place += 4
        }
        return bytes
      }
    }
  }
}
