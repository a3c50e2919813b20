import Glibc
import Testing
import TextFormat

@testable import CommandLineKit

@Suite("Secrets on standard input, whole or line by line", .timeLimit(.minutes(10)))
struct SecretLinesTests {
  /// An input with these bytes, which stays open if `staysOpen` is true.
  ///
  /// Not a pipe, whose end a program of another test could inherit and keep open.
  private func input(_ bytes: [UInt8], staysOpen: Bool = false) -> (input: SecretLines, writer: Int32) {
    var ends: [Int32] = [-1, -1]
    precondition(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0)
    precondition(write(ends[1], bytes, bytes.count) == bytes.count)
    if !staysOpen { close(ends[1]) }
    return (
      SecretLines(descriptor: ends[0], messages: -1, timeLimit: staysOpen ? .milliseconds(20) : .seconds(600)), ends[1]
    )
  }

  private func whole(_ text: String, _ names: [String] = ["password"]) throws(CommandError) -> [String] {
    try input(Array(text.utf8)).input.whole(names).map { String(decoding: $0, as: UTF8.self) }
  }

  @Test(
    "exactly one line ending is removed, and nothing else",
    arguments: [
      ("secret", "secret"), ("secret\n", "secret"), ("secret\r\n", "secret"), ("secret\r\r\n", "secret\r"),
      (" se cret \n", " se cret "), ("\tsecret", "\tsecret"), ("sec\rret\n", "sec\rret"), ("secret\r", "secret\r"),
    ])
  func ending(_ text: String, _ line: String) throws {
    #expect(try whole(text) == [line])
    #expect(try whole("old\r\n" + text, ["current password", "new password"]) == ["old", line])
    let input = input(Array(("a b\n" + text).utf8)).input
    #expect(try input.lines(["password"], followedBy: "code") == [Array("a b".utf8)])
    #expect(input.hasMore)
    #expect(try input.last("code") == Array(line.utf8))
    #expect(!input.hasMore)
  }

  @Test("bytes that are not UTF-8 are passed on unchanged")
  func bytes() throws {
    #expect(try input([0xFF, 0x61, 0x0A]).input.whole(["password"]) == [[0xFF, 0x61]])
  }

  /// Both ways to read refuse the same, after the lines that they expect.
  private static let refused: [(text: String, expected: CommandError)] = [
    ("", .missingLine(of: "password")), ("\n", .emptyLine(of: "password")), ("\r\n", .emptyLine(of: "password")),
    ("sec\0ret\n", .containsNUL), (String(repeating: "x", count: 4097), .tooLong(limit: 4096)),
    (String(repeating: "x", count: 4097) + "\n", .tooLong(limit: 4096)),
    (String(repeating: "x", count: 60_000), .tooLong(limit: 4096)),
    (String(repeating: "x\n", count: 30_000), .tooManyLines(than: ["password"])),
    ("secret\n\n", .tooManyLines(than: ["password"])), ("secret\nmore", .tooManyLines(than: ["password"])),
  ]

  // By their places: a runner prints its arguments, and these have thousands of lines.
  @Test("anything but exactly the requested lines is refused", arguments: refused.indices)
  func refusals(_ index: Int) {
    let (text, expected) = Self.refused[index]
    #expect(throws: expected) { try whole(text) }
    #expect(throws: expected) { try input(Array(text.utf8)).input.lines(["password"]) }
  }

  @Test("the line that is missing, empty or the last one is named")
  func names() {
    #expect(throws: CommandError.missingLine(of: "b")) { try whole("old\n", ["a", "b"]) }
    #expect(throws: CommandError.emptyLine(of: "b")) { try whole("old\n\n", ["a", "b"]) }
    #expect(throws: CommandError.tooManyLines(than: ["a", "b"])) { try whole("a\nb\nc\n", ["a", "b"]) }
    #expect(throws: CommandError.tooManyLines(than: ["password", "code"])) {
      try input(Array("a\nb\nc".utf8)).input.lines(["password"], followedBy: "code")
    }
  }

  @Test("a line has at most 4096 bytes and is never cut off")
  func limit() throws {
    let longest = String(repeating: "x", count: 4096)
    #expect(try whole(longest + "\r\n") == [longest])
  }

  @Test("the reader does not wait for an unrequested second line, and a missing or empty one is nil")
  func lazy() throws {
    let (open, writer) = input(Array("password\n".utf8), staysOpen: true)
    #expect(try open.lines(["password"], followedBy: "code") == [Array("password".utf8)])
    #expect(!open.hasMore)
    #expect(throws: CommandError.timedOut(.milliseconds(20))) { try open.last("code") }
    #expect(write(writer, "1\n", 2) == 2)
    #expect(try open.last("code") == [UInt8(ascii: "1")])
    close(writer)
    for text in ["password", "password\n", "password\n\n"] {
      let input = input(Array(text.utf8)).input
      _ = try input.lines(["password"], followedBy: "code")
      #expect(try input.last("code") == nil, "\(text)")
    }
  }

  @Test("lines after the last one are refused before it is used")
  func late() throws {
    let (open, writer) = input(Array("a\n".utf8), staysOpen: true)
    _ = try open.lines(["password"], followedBy: "code")
    #expect(write(writer, "1\n2\n", 4) == 4)
    close(writer)
    #expect(throws: CommandError.tooManyLines(than: ["password", "code"])) { try open.last("code") }
  }

  @Test("the wait for an input that never ends has a limit, before its line and after it")
  func endless() throws {
    for text in ["", "password\n"] {
      let (open, writer) = input(Array(text.utf8), staysOpen: true)
      #expect(throws: CommandError.timedOut(.milliseconds(20))) { try open.whole(["password"]) }
      close(writer)
    }
  }

  @Test("an input that cannot be read says why")
  func closed() {
    #expect(throws: CommandError.unreadable("standard input", ErrorNumber(EBADF))) {
      try SecretLines(descriptor: 1_000_000, messages: -1).whole(["password"])
    }
  }
}
