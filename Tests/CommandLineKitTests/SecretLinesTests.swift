import CommandLineKit
import Glibc
import Testing

@Suite("Secrets on standard input, with an optional last one")
struct SecretLinesTests {
  /// A pipe with `text`, which stays open if `staysOpen` is true.
  private func input(_ text: String, staysOpen: Bool = false) -> (input: SecretLines, writer: Int32) {
    var ends: [Int32] = [-1, -1]
    precondition(pipe(&ends) == 0)
    let bytes = Array(text.utf8)
    precondition(write(ends[1], bytes, bytes.count) == bytes.count)
    if !staysOpen { close(ends[1]) }
    return (SecretLines(descriptor: ends[0], messages: -1, timeLimit: .milliseconds(20)), ends[1])
  }

  private func failure(_ body: () throws(PromptError) -> Void) -> PromptError? {
    do {
      try body()
      return nil
    } catch {
      return error
    }
  }

  @Test(
    "one line ending is removed, and the last line may have none",
    arguments: [("a b\n12", "a b", "12"), ("a\r\n12\r\n", "a", "12"), (" \n 1\r", " ", " 1\r")])
  func lines(text: String, first: String, second: String) throws {
    let input = input(text).input
    #expect(try input.lines(["password"], followedBy: "code") == [Array(first.utf8)])
    #expect(input.hasMore)
    #expect(try input.last("code") == Array(second.utf8))
    #expect(!input.hasMore)
  }

  @Test("the reader does not wait for an unrequested second line, and a missing or empty one is nil")
  func lazy() throws {
    let (open, writer) = input("password\n", staysOpen: true)
    #expect(try open.lines(["password"], followedBy: "code") == [Array("password".utf8)])
    #expect(!open.hasMore)
    #expect(failure { () throws(PromptError) in _ = try open.last("code") } == .timedOut(.milliseconds(20)))
    #expect(write(writer, "1\n", 2) == 2)
    #expect(try open.last("code") == [UInt8(ascii: "1")])
    close(writer)
    for text in ["password", "password\n", "password\n\n"] {
      let input = input(text).input
      _ = try input.lines(["password"], followedBy: "code")
      #expect(try input.last("code") == nil, "\(text)")
    }
  }

  @Test(
    "input that cannot be these lines is refused",
    arguments: [
      ("", PromptError.missingLine(of: "password")), ("\n12", .emptyLine(of: "password")), ("a\0\n", .containsNUL),
      ("a\nb\nc", .tooManyLines(after: "code")), (String(repeating: "x", count: 4097) + "\n", .tooLong(limit: 4096)),
      (String(repeating: "x", count: 9000), .tooLong(limit: 4096)),
    ])
  func refused(text: String, expected: PromptError) {
    let input = input(text).input
    #expect(failure { () throws(PromptError) in _ = try input.lines(["password"], followedBy: "code") } == expected)
  }

  @Test("lines after the last one are refused before it is used")
  func late() throws {
    let (open, writer) = input("a\n", staysOpen: true)
    _ = try open.lines(["password"], followedBy: "code")
    #expect(write(writer, "1\n2\n", 4) == 4)
    close(writer)
    #expect(failure { () throws(PromptError) in _ = try open.last("code") } == .tooManyLines(after: "code"))
  }
}
