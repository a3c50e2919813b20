import DatabaseFiles
import Foundation
import Programs
import Races
import Terminals
import TextFormat

/// Programs that ran under strace, and what a power cut at any moment may leave.
struct Recording {
  /// What a program keeps for its user: the rows of the database and the content of other files.
  struct Kept: Hashable {
    let rows: [String]
    let files: [String: String]
  }

  /// A moment, after so many calls, and what is lost then.
  struct Cut: CustomStringConvertible {
    let calls: Int
    let loss: Disk.Loss
    let last: String

    var description: String { "after call \(calls) (\(last)), losing \(loss)" }
  }

  let calls: [DiskCall]
  private let root: String
  private let disk: Disk
  private let scratch: ShortFolder

  /// Runs a program.
  ///
  /// - Parameters:
  ///   - root: The directory below which it works. All that is there is durable.
  ///   - made: Directories in it that somebody made just before, and did not synchronise.
  ///   - run: Runs a program by the words that `trace` makes of its own.
  /// - Throws: What kept it from being recorded.
  init(
    below root: String, made: [String] = [], _ run: (_ trace: (_ program: [String]) -> [String]) async throws -> Void
  ) async throws {
    (self.root, scratch) = (root, ShortFolder.quick)
    let log = scratch.path + "/log"
    disk = try Disk(root)
    for directory in made { mkdir(directory, 0o700) }
    try await run { Strace.words($0, log: log) }
    let making = made.map { DiskCall(path: $0, change: .makeDirectory(0o700)) }
    calls = making + (try Strace.calls(in: log, below: root)) + [DiskCall(path: root, change: .answer)]
  }

  /// Moments to look at: of each recording the end, and some before it, half of them just before
  /// something becomes durable.
  ///
  /// - Parameters:
  ///   - count: How many before the end.
  ///   - seed: Of the choice.
  /// - Returns: The moments, each with what is lost.
  func cuts(_ count: Int, seed: UInt64) -> [Cut] {
    var chance = SeededGenerator(seed: seed)
    let syncs = calls.indices.filter { if case .synchronize = calls[$0].change { true } else { false } }
    let ends = [.everything, .some(seed: chance.next())].map { cut(calls.count, $0) }
    return ends
      + (0..<count).map { number in
        let moment = number % 2 == 0 ? syncs.randomElement(using: &chance) : nil
        let losses: [Disk.Loss] = [.some(seed: chance.next()), .everything, .contents, .names]
        // Chance finds most, so it has half of them.
        let loss = number % 4 < 2 ? losses[0] : losses[1 + (number / 4) % 3]
        return cut(moment ?? Int.random(in: 0..<calls.count, using: &chance), loss)
      }
  }

  /// A moment after so many calls.
  func cut(_ moment: Int, _ loss: Disk.Loss) -> Cut {
    Cut(calls: moment, loss: loss, last: moment == 0 ? "none" : "\(calls[moment - 1])")
  }

  /// What is wrong with what power cuts leave.
  ///
  /// In the order of the calls a state follows another; a power cut leaves one of those that were
  /// reached since the last answer, and the one before it. So nothing that was answered is lost,
  /// and nothing is torn.
  ///
  /// - Parameters:
  ///   - cuts: The moments.
  ///   - ignored: The file whose synchronisation does nothing, which must be found.
  ///   - look: Looks at the directory itself, and returns what is wrong with it.
  /// - Returns: A line for each fault.
  /// - Throws: What kept it from being found out.
  func faults(
    of cuts: [Cut], ignoring ignored: String? = nil,
    _ look: (_ root: String, Cut) async throws -> String? = { _, _ in nil }
  ) async throws -> [String] {
    // In their order, as they happened and as far as they are durable.
    var (real, durable, reached, faults) = (disk, disk, [try kept(by: disk)], [String]())
    var cuts = cuts.sorted { $0.calls < $1.calls }[...]
    for (number, call) in ([nil] + calls).enumerated() {
      if let call {
        try real.perform(call)
        if case .synchronize = call.change, call.file == ignored {} else { try durable.perform(call) }
        if call.mayCommit { reached.append(try kept(by: real)) }
        if case .answer = call.change { reached = [try kept(by: real)] }
      }
      while let cut = cuts.first, cut.calls == number {
        cuts.removeFirst()
        let possible = reached + [try kept(by: real)]
        faults += try await self.faults(of: cut, durable, possible, look).map { "\(cut): \($0)" }
        if ignored != nil, !faults.isEmpty { return faults }
      }
    }
    return faults
  }

  private func faults(
    of cut: Cut, _ disk: Disk, _ possible: [Kept], _ look: (_ root: String, Cut) async throws -> String?
  ) async throws -> [String] {
    let left = try kept(by: disk, losing: cut.loss)
    // The next command finds it torn, and may change it.
    let place = scratch.path + "/left"
    try disk.write(to: place, losing: cut.loss)
    defer { try? FileManager.default.removeItem(atPath: place) }
    let complaint = try await look(place, cut)
    let books = Books(database(in: place)).flatMap { $0.areInOrder ? nil : $0.description }
    let difference = possible.contains(left) ? nil : left.difference(from: possible[0])
    return [complaint, books, difference].compactMap(\.self)
  }

  private func kept(by disk: Disk, losing loss: Disk.Loss = .nothing) throws -> Kept {
    let place = scratch.path + "/kept"
    try disk.write(to: place, losing: loss)
    defer { try? FileManager.default.removeItem(atPath: place) }
    return try kept(in: place)
  }

  private func database(in place: String) -> String { place + "/home/authority.db" }

  private func kept(in place: String) throws -> Kept {
    var rows: [String] = []
    if let file = try? DatabaseFile(database(in: place)) {
      do {
        for table in try file.run("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name") {
          let columns = try file.run("SELECT 'quote(' || name || ')' FROM pragma_table_info('\(table)')")
          rows += try file.run("SELECT \(columns.joined(separator: ", ")) FROM \(table)").map { "\(table) \($0)" }
            .sorted()
        }
      } catch { rows.append("\(error)") }
    }
    var files: [String: String] = [:]
    for name in try FileManager.default.subpathsOfDirectory(atPath: place) {
      let last = name.split(separator: "/").last ?? ""
      // Of no value by themselves: locks, answers that a program reads, what a rename replaces, and
      // parts of the database.
      let isHelper =
        name.contains("/.") || last.hasSuffix(".lock") || last.hasSuffix(".answer") || last.hasPrefix("authority.db")
      if isHelper || last.contains(/^backup\.db./) { continue }
      guard let content = FileManager.default.contents(atPath: "\(place)/\(name)") else { continue }
      files[name] = Hex.text(Array(content))
    }
    return Kept(rows: rows, files: files)
  }
}

extension Recording.Kept {
  fileprivate func difference(from other: Self) -> String {
    let names = Set(files.keys).union(other.files.keys).filter { files[$0] != other.files[$0] }.sorted()
    let gone = other.rows.filter { !rows.contains($0) }.prefix(3).map { $0.prefix(100) }
    let new = rows.filter { !other.rows.contains($0) }.prefix(3).map { $0.prefix(100) }
    return "a state that never was; other files: \(names), lost rows: \(gone), new rows: \(new)"
  }
}

extension DiskCall {
  /// Whether what a program keeps may be another after it.
  fileprivate var mayCommit: Bool {
    switch change {
    case .rename, .link, .remove, .resize: true
    // The header of a journal; the frames of a log up to one that commits.
    case .write(let offset, _): offset == 0 && file.hasSuffix("-journal")
    case .synchronize: file.hasSuffix("-wal")
    case .open(_, let empties): empties
    case .makeDirectory, .answer: false
    }
  }
}
