import Glibc
import Terminals
import Testing

@testable import AuthProgram
@testable import CommandLineKit

@Suite("Streams that say whether the output arrived")
struct OutputStreamTests {
  private func stream(_ descriptor: Int32) -> OutputStream {
    OutputStream(descriptor: descriptor, name: "standard output", isTerminal: false, style: .plain, width: 80)
  }

  @Test("what is written arrives when it is flushed, in order and once")
  func arrives() throws {
    var ends: [Int32] = [0, 0]
    try #require(pipe(&ends) == 0)
    let output = stream(ends[1])
    output.write("one ")
    output.writeLine("two")
    try output.flush()
    try output.flush()
    close(ends[1])
    var buffer = [UInt8](repeating: 0, count: 100)
    let count = read(ends[0], &buffer, buffer.count)
    close(ends[0])
    #expect(String(decoding: buffer[..<count], as: UTF8.self) == "one two\n")
  }

  @Test("a full device is an error with its reason, and the text is not kept")
  func full() throws {
    let descriptor = open("/dev/full", O_WRONLY)
    try #require(descriptor >= 0)
    defer { close(descriptor) }
    let output = stream(descriptor)
    output.write("lost")
    let failure = OutputError.unwritable(stream: "standard output", errno: ENOSPC)
    #expect(throws: failure) { try output.flush() }
    #expect(failure.message == "standard output cannot be written: No space left on device")
    try output.flush()
  }

  @Test("a pipe that nobody reads is reported where that is asked for, and the signal is gone")
  func survivesClosedPipe() throws {
    var ends: [Int32] = [0, 0]
    try #require(pipe(&ends) == 0)
    close(ends[0])
    defer { close(ends[1]) }
    let output = stream(ends[1])
    output.write("lost")
    #expect(throws: OutputError.closedPipe) { try output.flush(survivingClosedPipe: true) }
    var pending = sigset_t()
    sigpending(&pending)
    #expect(sigismember(&pending, SIGPIPE) == 0)
  }

  @Test("otherwise the process dies of the signal, in silence, even if its parent ignored it")
  func diesOfClosedPipe() async {
    await #expect(processExitsWith: .signal(SIGPIPE)) {
      signal(SIGPIPE, SIG_IGN)
      var ends: [Int32] = [0, 0]
      precondition(pipe(&ends) == 0)
      close(ends[0])
      let output = OutputStream(descriptor: ends[1], name: "x", isTerminal: false, style: .plain, width: 80)
      output.write("lost")
      try output.flush()
    }
  }

  @Test("closed descriptors are occupied, so that no file takes their numbers, and they still fail")
  func closedDescriptors() async {
    await #expect(processExitsWith: .exitCode(0)) {
      takeOwnDescriptors()
      for descriptor in Int32(0)...2 { close(descriptor) }
      StandardDescriptors.occupyClosed()
      let file = open("/dev/null", O_RDWR)
      var byte: UInt8 = 0
      guard file > 2 else { exit(1) }
      for descriptor in Int32(0)...2 {
        guard read(descriptor, &byte, 1) == -1, errno == EBADF else { exit(2) }
        guard write(descriptor, &byte, 1) == -1, errno == EBADF else { exit(3) }
      }
      exit(0)
    }
  }

  @Test("open descriptors are left alone")
  func openDescriptors() async {
    await #expect(processExitsWith: .exitCode(0)) {
      takeOwnDescriptors()
      let null = open("/dev/null", O_RDWR)
      dup2(null, 0)
      dup2(null, 2)
      close(1)
      StandardDescriptors.occupyClosed()
      var byte: UInt8 = 0
      guard write(0, &byte, 1) == 1, write(2, &byte, 1) == 1, write(1, &byte, 1) == -1 else { exit(1) }
      exit(0)
    }
  }

  @Test("the width is that of the terminal, else COLUMNS, else 80")
  func width() throws {
    let terminal = try PseudoTerminal(columns: 132)
    let descriptor = open(terminal.path, O_RDWR | O_NOCTTY)
    try #require(descriptor >= 0)
    defer { close(descriptor) }
    #expect(TerminalWidth.columns(of: descriptor, environment: { _ in "100" }) == 132)
    #expect(TerminalWidth.columns(of: -1, environment: { $0 == "COLUMNS" ? "100" : nil }) == 100)
    for value in ["", "0", "-5", "1e9", "x", "99999999999999999999"] {
      #expect(TerminalWidth.columns(of: -1, environment: { _ in value }) == 80)
    }
  }
}

/// Gives the calling thread a table of descriptors of its own: other threads of the process open
/// files, too, and would take the numbers that a test closes.
private func takeOwnDescriptors() {
  typealias Unshare = @convention(c) (CInt) -> CInt
  let cloneFiles: CInt = 0x400
  // Swift does not import it.
  guard let unshare = dlsym(nil, "unshare"), unsafeBitCast(unshare, to: Unshare.self)(cloneFiles) == 0 else { exit(4) }
}
