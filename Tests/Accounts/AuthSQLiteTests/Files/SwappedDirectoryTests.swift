import AuthAccounts
import AuthCore
import AuthCoreTesting
import AuthDevice
import AuthSQLite
import Glibc
import Races
import Services
import Synchronization
import Testing

/// A thread swaps the directory for a symbolic link and back, as fast as it can, while the program
/// uses it.
@Suite(.timeLimit(.minutes(10))) struct SwappedDirectoryTests {
  private let tokens = (0..<2).map { SessionToken(bytes: Array(repeating: $0, count: 32)) }

  @Test("session files of a directory that is swapped for a link are never written, or closed, where the link leads")
  func sessions() async throws {
    let work = Workspace()
    let swap = try Swap(work, work.state)
    let vault = work.vault()
    let outcomes = await swap.during(1000) { round in
      try await vault.store(tokens[round % 2])
      _ = try vault.closeToOthers()
      if round % 10 == 0 { try vault.saveProviderSettings(Array("settings".utf8)) }
      if round % 10 == 1, case .acquired(let lock) = try await vault.lockExchange(of: tokens[1], wait: .zero) {
        _ = try await lock.begin()
        _ = try await lock.release(.replaced(by: tokens[0], TokenDetails()))
      }
      if round % 10 == 2 { swap.spoil("default.session") }
      if round % 10 == 3 { try await vault.erase(tokens[1]) }
      _ = try await vault.setAside()
    }
    #expect(swap.outside() == swap.before)
    #expect(outcomes.done > 0 && outcomes.refused > 0)
  }

  @Test("a database in a directory that is swapped for a link is never made, or written, where the link leads")
  func database() async throws {
    let work = Workspace()
    let swap = try Swap(work, work.data)
    let outcomes = await swap.during(400) { round in
      let authority = work.authority()
      _ = try authority.register(username: "user\(round)", password: alicePassword)
      _ = try authority.logIn("user\(round)", alicePassword)
    }
    #expect(swap.outside() == swap.before)
    #expect(outcomes.done > 0 && outcomes.refused > 0)
  }
}

/// A directory, and a link in its place to a directory with files that must not change.
private final class Swap: Sendable {
  private let work: Workspace
  private let path: String
  private let link: String
  private let descriptor: Int32
  private let isOver = Atomic(false)
  let before: String

  /// The function renameat2(2), which Swift does not import, with RENAME_EXCHANGE.
  private typealias Exchange =
    @convention(c) @Sendable (Int32, UnsafePointer<CChar>, Int32, UnsafePointer<CChar>, UInt32) -> Int32
  private let exchange: Exchange

  /// Makes the directory, the link and the other directory.
  init(_ work: Workspace, _ path: String) throws {
    (self.work, self.path, link) = (work, path, path + ".link")
    exchange = unsafeBitCast(try #require(dlsym(nil, "renameat2")), to: Exchange.self)
    work.run("mkdir -m 700 '\(path)' '\(work.path)/outside'; ln -s '\(work.path)/outside' '\(link)'")
    descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    work.run("cd '\(work.path)/outside' && echo x > default.session && chmod 640 default.session && chmod 710 .")
    before = work.run("cd '\(work.path)/outside' && find . -printf '%m %p %s\n' | sort")
  }

  deinit { close(descriptor) }

  /// Makes a file of the directory unusable, wherever the directory is.
  func spoil(_ name: String) {
    let file = openat(descriptor, name, O_WRONLY | O_TRUNC | O_CLOEXEC)
    if file >= 0 { close(file) }
  }

  func outside() -> String { work.run("cd '\(work.path)/outside' && find . -printf '%m %p %s\n' | sort") }

  /// Runs a body many times during the swaps, until it was both done and refused.
  ///
  /// - Returns: How often it was done, and how often an error ended it.
  func during(_ rounds: Int, _ body: (Int) async throws -> Void) async -> (done: Int, refused: Int) {
    let thread = startedThread { [self] in
      while !isOver.load(ordering: .relaxed) { _ = exchange(AT_FDCWD, path, AT_FDCWD, link, 2) }
    }
    var (outcomes, round) = ((done: 0, refused: 0), 0)
    while round < rounds || outcomes.done == 0 || outcomes.refused == 0, !Task.isCancelled {
      do {
        try await body(round)
        outcomes.done += 1
      } catch {
        outcomes.refused += 1
      }
      round += 1
    }
    isOver.store(true, ordering: .relaxed)
    pthread_join(thread, nil)
    return outcomes
  }
}
