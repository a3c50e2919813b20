import Guards
import Testing

@testable import AuthCore

#if canImport(Glibc)
  import Glibc

  @Suite struct ThreadReuseTests {
    /// The calling thread, by a number that the system does not use again soon.
    private static var thread: String {
      var path = Array(repeating: UInt8(0), count: 64)
      let length = path.withUnsafeMutableBytes { bytes in
        bytes.baseAddress.map { readlink("/proc/thread-self", $0, bytes.count) } ?? 0
      }
      return String(decoding: path.prefix(max(0, length)), as: UTF8.self)
    }

    @Test("a task that suspends often uses few threads, and one that blocks does not stop it")
    func reuse() async {
      let done = Promise<Set<String>>()
      let blocked = Promise<Void>()
      let gate = BlockingGate()
      WorkPlace.separateThreads.start {
        blocked.fulfil(())
        gate.wait()
      }
      await blocked.valueUncancelled()
      WorkPlace.separateThreads.start {
        var threads: Set<String> = []
        for _ in 0..<1000 {
          await Task.yield()
          threads.insert(Self.thread)
        }
        done.fulfil(threads)
      }
      let threads = await done.valueUncancelled()
      gate.open()
      #expect((1..<100).contains(threads.count))
    }
  }

  /// Blocks a thread until it is opened.
  private final class BlockingGate: Sendable {
    private let descriptors: [Int32]

    init() {
      var pair: [Int32] = [0, 0]
      _ = pipe(&pair)
      descriptors = pair
    }

    func wait() {
      var byte: UInt8 = 0
      _ = read(descriptors[0], &byte, 1)
    }

    func open() { close(descriptors[1]) }
  }
#endif
