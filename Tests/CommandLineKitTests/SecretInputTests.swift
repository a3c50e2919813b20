import Glibc
import Testing

@testable import CommandLineKit

@Suite("Secrets from standard input")
struct SecretInputTests {
  /// Reads from a closed pipe with these bytes.
  private func read(_ bytes: [UInt8], _ names: [String] = ["password"]) throws -> [[UInt8]] {
    var ends: [Int32] = [0, 0]
    try #require(pipe(&ends) == 0)
    defer { close(ends[0]) }
    let written = write(ends[1], bytes, bytes.count)
    close(ends[1])
    try #require(written == bytes.count)
    return try SecretLines(descriptor: ends[0], messages: -1).whole(names)
  }

  private func read(_ text: String, _ names: [String] = ["password"]) throws -> [String] {
    try read(Array(text.utf8), names).map { String(decoding: $0, as: UTF8.self) }
  }

  @Test(
    "exactly one line ending is removed, and nothing else",
    arguments: [
      ("secret", "secret"), ("secret\n", "secret"), ("secret\r\n", "secret"), ("secret\r\r\n", "secret\r"),
      (" se cret \n", " se cret "), ("\tsecret", "\tsecret"), ("sec\rret\n", "sec\rret"), ("secret\r", "secret\r"),
    ])
  func ending(_ input: String, _ line: String) throws {
    #expect(try read(input) == [line])
  }

  @Test("two lines are two secrets")
  func twoLines() throws {
    #expect(try read("old\nnew\n", ["current password", "new password"]) == ["old", "new"])
    #expect(try read("old\r\nnew", ["current password", "new password"]) == ["old", "new"])
    #expect(try read("old\r\nnew\r", ["current password", "new password"]) == ["old", "new\r"])
  }

  @Test("bytes that are not UTF-8 are passed on unchanged")
  func bytes() throws {
    #expect(try read([0xFF, 0x61, 0x0A]) == [[0xFF, 0x61]])
  }

  @Test("anything but exactly the requested lines is refused")
  func refusals() {
    #expect(throws: PromptError.missingLine(of: "password")) { try read("") }
    #expect(throws: PromptError.emptyLine(of: "password")) { try read("\n") }
    #expect(throws: PromptError.emptyLine(of: "password")) { try read("\r\n") }
    #expect(throws: PromptError.tooManyLines(after: "password")) { try read("secret\n\n") }
    #expect(throws: PromptError.tooManyLines(after: "password")) { try read("secret\nmore") }
    #expect(throws: PromptError.containsNUL) { try read("sec\u{0}ret\n") }
    #expect(throws: PromptError.missingLine(of: "b")) { try read("old\n", ["a", "b"]) }
    #expect(throws: PromptError.emptyLine(of: "b")) { try read("old\n\n", ["a", "b"]) }
    #expect(throws: PromptError.tooManyLines(after: "b")) { try read("a\nb\nc\n", ["a", "b"]) }
  }

  @Test("a line has at most 4096 bytes and is never cut off")
  func limit() throws {
    let longest = String(repeating: "x", count: 4096)
    #expect(try read(longest + "\r\n") == [longest])
    #expect(throws: PromptError.tooLong(limit: 4096)) { try read(longest + "x") }
    #expect(throws: PromptError.tooLong(limit: 4096)) { try read(longest + "x\n") }
    #expect(throws: PromptError.tooLong(limit: 4096)) { try read(String(repeating: "x", count: 60_000)) }
    #expect(throws: PromptError.tooManyLines(after: "password")) { try read(String(repeating: "x\n", count: 30_000)) }
  }

  @Test("the wait for an input that never ends has a limit")
  func endless() throws {
    var ends: [Int32] = [0, 0]
    try #require(pipe(&ends) == 0)
    defer { ends.forEach { close($0) } }
    #expect(throws: PromptError.timedOut(.milliseconds(20))) {
      try SecretLines(descriptor: ends[0], messages: -1, timeLimit: .milliseconds(20)).whole(["password"])
    }
  }

  @Test("an input that cannot be read says why")
  func closed() {
    #expect(throws: PromptError.unreadable(source: "standard input", errno: EBADF)) {
      try SecretLines(descriptor: 1_000_000, messages: -1).whole(["password"])
    }
  }
}
