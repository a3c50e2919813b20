import AuthAccounts
import AuthCore
import AuthDevice
import AuthMessages
import CommandLineKit
import Terminals
import Testing
import TextFormat

@testable import AuthFullScreen

/// The full-screen program in one session of a person: each step gives its outcome in lines.
///
/// fixtures/README.md describes the steps.
struct AppStory {
  private(set) var state = AppState(columns: 1, rows: 1)
  /// The size of the terminal where a story gives none.
  private let size: (columns: Int, rows: Int)
  private var shown: [String] = []

  init(columns: Int = 60, rows: Int = 14) {
    size = (columns, rows)
  }

  /// The names of the files in a folder of fixtures.
  static func names(in folder: String) -> [String] {
    let paths = (try? TextFile.list("fixtures/" + folder, suffix: ".txt")) ?? []
    return paths.compactMap { $0.split(separator: "/").last.map(String.init) }
  }

  static func lines(of file: String) throws -> [String] {
    let text = try TextFile.read("\(BuiltExecutable.repository)/fixtures/\(file)")
    return text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
  }

  /// The state at the end of a story.
  static func end(of steps: [String], columns: Int = 60, rows: Int = 14) throws -> AppState {
    var story = AppStory(columns: columns, rows: rows)
    for step in steps { _ = try story.perform(step) }
    return story.state
  }

  /// Plays a line of a story.
  ///
  /// - Returns: What the program is to do, then the rows of the screen that changed; one `|` for
  ///   rows that are blank now.
  mutating func play(_ line: String) throws -> [String] {
    if line.isEmpty || line.hasPrefix("#") { return [] }
    var outcome = try perform(line).map { "→ " + Self.words($0) }
    if line == "next" {
      outcome = [state.nextChange.map { "in \(Int(($0 - state.now) / .milliseconds(1))) ms" } ?? "never"]
    }
    let lines = state.frame.lines
    if line.hasPrefix("start ") { shown = lines }
    if line == "screen" { shown = [] }
    for (row, text) in lines.enumerated() where row >= shown.count || shown[row] != text {
      if !text.isEmpty || outcome.last != "|" { outcome.append("|" + text) }
    }
    shown = lines
    return outcome
  }

  private mutating func perform(_ line: String) throws -> [AppEffect] {
    let verb = String(line.prefix { $0 != " " })
    let rest = String(line.dropFirst(verb.count + 1))
    let words = rest.split(separator: " ").map(String.init)
    let message: AppMessage
    switch verb {
    case "start":
      try start(words)
      return []
    case "next", "screen": return []
    case "keys": return state.press(rest)
    case "choose": return [state.choose(try #require(AppScenes.choices[rest], "\(rest)"))].compactMap(\.self)
    case "paste": message = .key(.paste(PastedText(rest.replacing("⏎", with: "\n"))))
    case "click": message = .key(.click(row: Int(words[0]) ?? 0, column: Int(words[1]) ?? 0))
    case "size":
      let numbers = words.compactMap { Int($0) }
      message = .resized(columns: numbers.first ?? size.columns, rows: numbers.last ?? size.rows)
    case "wait": return state.update(.tick, at: state.now + .milliseconds(Int(rest) ?? 0))
    case "ends": message = .ends(in: .seconds(Int(words[0]) ?? 0), isIdle: words.last == "idle")
    case "bar": message = .button(AppScenes.users[rest].map { .logOut($0) } ?? .logIn)
    case "dismissed": message = .dismissed(rest)
    case "authenticated":
      message = .authenticated(
        words.count > 1 ? .failure(Self.problem([words[1]])) : .success(.code(Secret("c"), verifier: Secret("v"))),
        isConfirming: words[0] == "again")
    case "checked":
      message = .checked(
        ["", "empty", "unknown"].contains(rest) ? nil : Self.problem(words), isEmpty: rest == "empty",
        isKnown: rest != "unknown")
    case "loaded":
      let (tab, page) = try #require(AppScenes.page(words), "\(rest)")
      message = .loaded(tab, .success(page))
    case "refused":
      let tab = try #require(AppTab.allCases.first { "\($0)" == words[0] })
      message = .loaded(tab, .failure(Self.problem(Array(words.dropFirst()))))
    case "written":
      let error = FileError.system("/home/alice/auth-cli-recovery-codes.txt", "cannot be written", ErrorNumber(28))
      message = .written(rest == "not" ? .failure(error) : .success(rest))
    case "done":
      let parts = (" " + rest).split(separator: " then ", omittingEmptySubsequences: false).map(String.init)
      let outcome = AppScenes.outcome(String(parts[0].dropFirst()), then: parts.dropFirst().first)
      message = .finished(try #require(state.work), .success(outcome))
    case "failed": message = .finished(try #require(state.work), .failure(Self.problem(words)))
    case _: throw NoSuchStep(verb: verb)
    }
    return state.update(message)
  }

  /// Begins anew: in which size, unless it is the usual one, and as whom, with what on the screen.
  private mutating func start(_ words: [String]) throws {
    let given = words.first?.split(separator: "x").compactMap { Int($0) } ?? []
    let (columns, rows) = given.count == 2 ? (given[0], given[1]) : size
    let who = words.dropFirst(given.count == 2 ? 1 : 0)
    state = AppState(
      columns: columns, rows: rows, context: who.contains("laptop") ? "laptop" : nil,
      provider: who.contains("provider") ? AppScenes.provider : nil, epoch: AppScenes.now)
    if who.first != "new" { _ = state.update(.checked(nil)) }
    if who.first == "alice" { _ = state.update(.button(.logOut(AppScenes.alice))) }
    for word in who.dropFirst() {
      guard let (tab, _) = AppScenes.page([word]) else { continue }
      _ = try perform("keys \((state.tabs.firstIndex(of: tab) ?? 0) + 1)")
      _ = try perform("loaded " + word)
    }
  }

  /// An error of the table, by its code and one value.
  private static func problem(_ words: [String]) -> CommandError {
    let value = words.dropFirst().joined(separator: " ")
    if words[0] == "throttled" { return CommandError(.wait(.seconds(Int(value) ?? 0))) }
    if let code = ErrorCode.allCases.first(where: { "\($0)" == words[0] }) ?? ErrorCode(code: words[0]) {
      return CommandError(code: code, value)
    }
    if let code = BackendError.Code.named(words[0]) { return CommandError(BackendError.refused(code, value)) }
    if let code = BackendError.FailureCode.named(words[0]) {
      return CommandError(BackendError.unavailable(code, value, "REASON", "--idempotency-key KEY"))
    }
    return CommandError(.no, words[0], words[0], hint: "Try again.")
  }

  /// What the program is to do, with its secrets.
  private static func words(_ value: Any) -> String {
    if let secret = value as? Secret { return "'\(String(decoding: secret.bytes, as: UTF8.self))'" }
    if case .password(let name, let password) = value as? Credentials { return "\(name) \(words(password))" }
    if let query = value as? AppQuery {
      return [
        query.rows == AppPage.limit ? "" : "\(query.rows) rows", query.text.isEmpty ? "" : "matching '\(query.text)'",
        query.order == .name ? "" : "by \(query.order)",
      ].filter { !$0.isEmpty }.joined(separator: ", ")
    }
    if value is any CustomStringConvertible { return "\(value)" }
    let mirror = Mirror(reflecting: value)
    let parts = mirror.children.map { child in
      let label = child.label ?? ""
      let text = words(child.value)
      return mirror.displayStyle == .enum ? "\(label) \(text)" : label.hasPrefix(".") ? text : "\(label): \(text)"
    }
    return parts.isEmpty ? "\(value)" : parts.filter { !$0.isEmpty }.joined(separator: ", ")
  }
}

/// A word that begins no step.
private struct NoSuchStep: Error {
  let verb: String
}
