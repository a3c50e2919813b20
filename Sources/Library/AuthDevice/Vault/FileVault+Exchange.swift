public import AuthCore
import ConcurrencyKit
import TextFormat

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The text of an exchange's note: the format, the token's hash, the state, the start of the
/// request, and a checksum.
///
///     authlocal-exchange 1
///     <SHA-256 of the token, hexadecimal digits>
///     <begun; failed or unsent, cause, seconds to wait, end; or refused and the reason's code>
///     <the boot and the time since it began>
///     <SHA-256 of the lines before with their ends, hexadecimal digits>
///
/// The id of the process that has the lock follows at a fixed offset.
extension ExchangeNote {
  /// The offset of the process id in the file, and so the longest note in bytes.
  static let room = 512

  /// The hash of the token, by which a note names it.
  static func mark(_ token: SessionToken) -> [UInt8] { SHA256.hash(token.bytes) }

  var text: [UInt8] {
    let (seconds, rest) = pause.components
    let what =
      switch state {
      case .begun: "begun"
      case .failed(let cause, let end, let wasSent):
        "\(wasSent ? "failed" : "unsent") \(cause.code) \(rest > 0 ? seconds + 1 : seconds) \(end.text)"
      case .refused(let reason): "refused \(reason.code)"
      }
    let body = ["authlocal-exchange 1", Hex.text(mark), what, began.text].map { $0 + "\n" }.joined()
    return Array((body + Hex.text(SHA256.hash(Array(body.utf8))) + "\n").utf8)
  }

  init?(text: [UInt8]) {
    let lines = text.prefix { $0 != 0 }.split(separator: UInt8(ascii: "\n")).map(Array.init)
    guard lines.count == 5, lines[0].elementsEqual("authlocal-exchange 1".utf8), let mark = Hex.bytes(lines[1]),
      let began = BootInstant(text: String(decoding: lines[3], as: UTF8.self)),
      Hex.bytes(lines[4]) == SHA256.hash(lines.prefix(4).flatMap { $0 + [UInt8(ascii: "\n")] })
    else { return nil }
    let words = String(decoding: lines[2], as: UTF8.self).split(separator: " ", maxSplits: 3).map(String.init)
    self.init(mark: mark, began: began)
    switch (words.first, words.count) {
    case ("begun", 1): break
    case ("failed", 4), ("unsent", 4):
      guard let cause = Unavailability.Cause.allCases.first(where: { $0.code == words[1] }),
        let seconds = Int32(words[2]), let end = BootInstant(text: words[3])
      else { return nil }
      pause = .seconds(seconds)
      state = .failed(cause, at: end, wasSent: words[0] == "failed")
    case ("refused", 2):
      guard let reason = EndReason(code: words[1]) else { return nil }
      state = .refused(reason.code == "interrupted" ? .interrupted(began: began) : reason)
    case _: return nil
    }
  }
}

extension BootInstant {
  var text: String {
    let (seconds, rest) = uptime.components
    return "\(Hex.text(boot.bytes)) \(seconds).\(rest)"
  }

  init?(text: String) {
    let words = text.split(separator: " ")
    let time = words.last?.split(separator: ".").compactMap { Int64($0) } ?? []
    guard words.count == 2, time.count == 2, let bytes = Hex.bytes(Array(words[0].utf8)), let boot = BootID(bytes)
    else { return nil }
    self.init(boot: boot, uptime: Duration(secondsComponent: time[0], attosecondsComponent: time[1]))
  }
}

extension FileVault {
  /// Locks the exchange of `token`, among all processes.
  ///
  /// The lock is one of flock(2) on a file of this session. The program that sends the request
  /// inherits it. Therefore it lasts until the request has ended, even if this process is killed.
  public func lockExchange(of token: SessionToken, wait: Duration) async throws(VaultError) -> ExchangeLockResult {
    let directory = try directory.create()
    let waiting = try clock.instant()
    let lock = try VaultLock.opened(exchangeName, in: directory)
    do throws(VaultError) {
      let taken = try VaultLock.take(lock, directory.file(exchangeName), wait: wait)
      let locked: ExchangeLockResult =
        if taken == .held {
          .busy(holder(lock))
        } else {
          // A logout waits for nothing, and is not told to wait.
          try decide(
            token, lock, in: directory, waiting: taken == .waited ? waiting : nil,
            now: wait > .zero ? clock.instant() : nil)
        }
      if case .acquired = locked { return locked }
      VaultLock.release(lock)
      return locked
    } catch {
      VaultLock.release(lock)
      throw error
    }
  }

  /// Decides whether the caller, who holds the file lock, may exchange the token.
  private func decide(
    _ token: SessionToken, _ lock: Int32, in directory: OpenDirectory, waiting: BootInstant?, now: BootInstant?
  ) throws(VaultError) -> ExchangeLockResult {
    let reading = read(in: directory)
    if case .unavailable(let fault) = reading { throw fault }
    let (mark, note) = (ExchangeNote.mark(token), Self.note(lock))
    let saved: [UInt8]? = if case .token(let saved, _) = reading { ExchangeNote.mark(saved) } else { nil }
    let decision = ExchangeNote.decide(mark, saved: saved, note: note, waiting: waiting, now: now)
    guard case .acquired(let interrupted) = decision else { return ExchangeLockResult(decision) }
    let id = Array("\(getpid())\n".utf8)
    guard pwrite(lock, id, id.count, off_t(ExchangeNote.room)) == id.count,
      ftruncate(lock, off_t(ExchangeNote.room + id.count)) == 0
    else { throw .system(directory.file(exchangeName), "cannot be written", .current) }
    let earlier = interrupted.map { began in
      let answer = Self.content(of: answerName, in: directory).flatMap { bytes in
        bytes.contains { $0 != 0 } ? bytes : nil
      }
      return InterruptedExchange(began: began, answer: answer, failure: note?.failure)
    }
    return .acquired(
      FileExchangeLock(self, in: directory, token, lock, interrupted: earlier, earlier == nil ? nil : note))
  }

  /// Whether a process ended during an exchange of `token`; its request may still be under way.
  public func isInterrupted(_ token: SessionToken) async -> Bool {
    guard case .some(.some(let directory)) = try? directory.opened(),
      let bytes = Self.content(of: exchangeName, in: directory), let note = ExchangeNote(text: bytes),
      note.mark == ExchangeNote.mark(token), note.state == .begun
    else { return false }
    // If the file is not locked, nobody exchanges the token. Another process may have the holder's
    // id by now, such as after a restart.
    guard case .some(.held) = try? VaultLock.probe(exchangeName, in: directory),
      let holder = Self.process(bytes.dropFirst(ExchangeNote.room))
    else { return true }
    // EPERM means a process of another user, which cannot have a lock in this directory.
    return kill(holder, 0) != 0
  }

  private static func process(_ bytes: ArraySlice<UInt8>) -> pid_t? {
    pid_t(String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self))
  }

  /// Describes the process that has the lock.
  private func holder(_ descriptor: Int32) -> VaultError {
    var bytes = [UInt8](repeating: 0, count: 32)
    let count = pread(descriptor, &bytes, bytes.count, off_t(ExchangeNote.room))
    let name = Self.process(bytes.prefix(max(0, count))).map { "Process \($0)" } ?? "Another process"
    return VaultError(
      "\(name) is renewing the session in \(path.escaped), and did not finish in time.",
      hint: "Try again; nothing was changed. If that process is stopped, continue or end it.")
  }

  private static func note(_ descriptor: Int32) -> ExchangeNote? {
    var bytes = [UInt8](repeating: 0, count: ExchangeNote.room)
    let count = pread(descriptor, &bytes, bytes.count, 0)
    return count > 0 ? ExchangeNote(text: Array(bytes.prefix(count))) : nil
  }

  /// The content of a small file; nil if it cannot be read.
  private static func content(of name: String, in directory: OpenDirectory) -> [UInt8]? {
    guard case .some(.some(let content)) = try? directory.read(name, atMost: 1 << 21) else { return nil }
    return content
  }
}

extension ExchangeLockResult {
  fileprivate init(_ decision: ExchangeNote.Decision) {
    switch decision {
    case .changed: self = .changed
    case .refused(let reason): self = .refused(reason)
    case .failed(let cause): self = .failed(cause)
    case .acquired: preconditionFailure("the caller creates the lock")
    }
  }
}

/// A lock that lasts until it is released, or until this process and its request have ended.
private final class FileExchangeLock: ExchangeLock {
  let interrupted: InterruptedExchange?
  private let vault: FileVault
  private let directory: OpenDirectory
  private let token: SessionToken

  private struct Descriptors {
    var lock: Int32
    var answer: Int32 = -1
    var note: ExchangeNote?
  }

  private let descriptors: Locked<Descriptors>

  init(
    _ vault: FileVault, in directory: OpenDirectory, _ token: SessionToken, _ lock: Int32,
    interrupted: InterruptedExchange?, _ note: ExchangeNote?
  ) {
    (self.vault, self.directory, self.token, self.interrupted) = (vault, directory, token, interrupted)
    descriptors = Locked(Descriptors(lock: lock, note: note))
  }

  deinit { closeDescriptors() }

  func begin() async throws(VaultError) -> ExchangeRecorder? {
    // Reserve the space for the result first: if this fails, an earlier exchange's answer stays.
    close(try directory.reserve(vault.reservedName, SessionFile.longest))
    let answer = try directory.reserve(vault.answerName, SessionFile.longest)
    let lock = descriptors.withLock { descriptors in
      if descriptors.answer >= 0 { close(descriptors.answer) }
      descriptors.answer = answer
      return descriptors.lock
    }
    let note = ExchangeNote(mark: ExchangeNote.mark(token), began: try vault.clock.instant())
    descriptors.withLock { $0.note = note }
    try write(note)
    try directory.synchronize()
    return ExchangeRecorder(lock: lock, answer: answer)
  }

  func release(_ end: ExchangeEnd) async throws(VaultError) -> Bool {
    // The program with the request has the lock, and whoever gets it next reads the answer.
    if case .unknown(let cause) = end, cause.isUnderWay {
      closeDescriptors()
      return true
    }
    // Unlock, because closing is not enough: a program that another thread is just starting has a
    // copy of the descriptor. The request of this holder has ended, so it needs the lock no more.
    defer {
      flock(descriptors.withLock(\.lock), LOCK_UN)
      closeDescriptors()
    }
    if case .replaced(let new, let details) = end {
      // If saving fails, the recorded answer stays for the next holder.
      let isSaved = try vault.replaceReserved(token, with: new, details, in: directory)
      unlinkat(directory.descriptor, vault.answerName, 0)
      return isSaved
    }
    // Without a note, no exchange began.
    guard let note = descriptors.withLock({ $0.note }) else { return true }
    if case .token(token, _) = vault.read(in: directory) {
      try write(note.ended(end, interrupted: interrupted?.began, at: try vault.clock.instant()))
    } else {
      // A login or a logout replaced the token, so nobody will read the recorded answer, a secret.
      unlinkat(directory.descriptor, vault.answerName, 0)
      try write(nil)
    }
    return true
  }

  /// Writes a note durably, or erases it.
  private func write(_ note: ExchangeNote?) throws(FileError) {
    let lock = descriptors.withLock(\.lock)
    let text = note?.text ?? []
    let bytes = text + [UInt8](repeating: 0, count: ExchangeNote.room - text.count)
    guard pwrite(lock, bytes, bytes.count, 0) == bytes.count, DurableFile.flush(lock) == 0 else {
      throw .system(directory.file(vault.exchangeName), "cannot be written", .current)
    }
  }

  private func closeDescriptors() {
    descriptors.withLock { descriptors in
      for descriptor in [descriptors.answer, descriptors.lock] where descriptor >= 0 { close(descriptor) }
      (descriptors.answer, descriptors.lock) = (-1, -1)
    }
  }
}

extension SessionClock {
  fileprivate func instant() throws(FileError) -> BootInstant {
    do throws(ClockError) { return try now() } catch {
      throw FileError(.system, error.description, hint: error.hint)
    }
  }
}
