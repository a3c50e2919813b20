/// A system call that changes a file, as the shim logged it.
struct WritingCall: Hashable, CustomStringConvertible {
  /// Its place among the calls of its run, from 1.
  let number: Int
  let name: String
  /// The file, without its directory.
  let file: String

  var description: String { "\(name) \(file)" }
  var isWrite: Bool { name == "write" || name == "pwrite" }

  /// The calls of a log.
  static func parse(_ log: String) -> [WritingCall] {
    log.split(separator: "\n").compactMap { line in
      let words = line.split(separator: " ", maxSplits: 2).map(String.init)
      guard words.count == 3, let number = Int(words[0]) else { return nil }
      return WritingCall(number: number, name: words[1], file: words[2])
    }
  }

  fileprivate func isLike(_ other: WritingCall) -> Bool { name == other.name && file == other.file }
}

/// Where to kill a run.
struct KillPoint: Hashable, CustomStringConvertible {
  let call: WritingCall
  /// Whether half of the write is done first.
  let isTorn: Bool

  var description: String { "\(isTorn ? "half way through" : "before") call \(call.number), \(call)" }

  /// Every call once; of a row of like calls, of which a page more or less makes no other case, the
  /// first and the last.
  ///
  /// The last write of a row is torn in two.
  ///
  /// - Parameters:
  ///   - calls: What a run did.
  ///   - every: Whether to kill before every single call, and half way through every write,
  ///     instead.
  /// - Returns: Where to kill.
  static func among(_ calls: [WritingCall], every: Bool) -> [KillPoint] {
    calls.indices.flatMap { index -> [KillPoint] in
      let call = calls[index]
      if every {
        return [KillPoint(call: call, isTorn: false)] + (call.isWrite ? [KillPoint(call: call, isTorn: true)] : [])
      }
      let isFirst = index == 0 || !call.isLike(calls[index - 1])
      let isLast = index == calls.count - 1 || !call.isLike(calls[index + 1])
      var points: [KillPoint] = []
      if isFirst { points.append(KillPoint(call: call, isTorn: false)) }
      if isLast, call.isWrite || !isFirst { points.append(KillPoint(call: call, isTorn: call.isWrite)) }
      return points
    }
  }
}
