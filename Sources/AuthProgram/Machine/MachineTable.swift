/// The table of the session machine: the answers to each pair of a state and an event.
///
/// The test that explores the machine writes it to `machine.tsv`, and fails when the two differ.
struct MachineTable: Sendable {
  /// One possible answer of a state to an event; it depends on the content of both.
  struct Row: Sendable {
    let state: String
    let event: String
    let answer: Answer
    /// The state to which a transition leads, or the reason of another answer.
    let target: String
    /// The work that the answer names, in order; the permitted commands when it rejects one.
    let items: [String]
    /// A state and an event with this answer.
    let example: (state: String, event: String)
  }

  enum Answer: String, Sendable {
    case transition = "->"
    case rejected = "rejected,"
    case ignored = "ignored,"
  }

  /// By state and event, in the order of their declaration.
  let rows: [Row]

  /// The table of the machine that this program runs.
  static let shipped = MachineTable(String(decoding: PackageResources.machine_tsv, as: UTF8.self))

  init(_ text: String) {
    rows = text.split(separator: "\n").map(Row.init)
  }

  /// The states, in order.
  var states: [String] { Self.distinct(rows.map(\.state)) }
  /// The events, in order.
  var events: [String] { Self.distinct(rows.map(\.event)) }

  private static func distinct(_ names: [String]) -> [String] {
    var distinct: [String] = []
    for name in names where !distinct.contains(name) { distinct.append(name) }
    return distinct
  }

  /// The events that take the machine from one state to another and do something on the way.
  func events(from: String, to: String) -> [String] {
    Self.distinct(rows.filter { $0.state == from && $0.leads(to: to) }.map(\.event))
  }

  /// Whether an event takes the machine from one state to another.
  func hasArrow(from: String, to: String) -> Bool {
    rows.contains { $0.state == from && $0.leads(to: to) }
  }

  /// The transitions as a Mermaid `stateDiagram-v2`: an arrow for each pair of states, with its
  /// events.
  ///
  /// Rejected, joined and ignored events have no arrow.
  var mermaid: String {
    var lines = ["stateDiagram-v2", "  [*] --> \(states.first ?? "")"]
    for from in states {
      for to in states {
        let events = events(from: from, to: to)
        if !events.isEmpty { lines.append("  \(from) --> \(to): \(events.joined(separator: ", "))") }
      }
    }
    return lines.map { $0 + "\n" }.joined()
  }
}

extension MachineTable.Row {
  fileprivate init(_ line: Substring) {
    let columns = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
    (state, event, example) = (columns[0], columns[1], (columns[4], columns[5]))
    let words = columns[2].split(separator: " ").map(String.init)
    (answer, target) = (.init(rawValue: words[0]) ?? .ignored, words[1])
    items = columns[3].split(separator: ",").map { String($0.drop { $0 == " " }) }
  }

  fileprivate func leads(to state: String) -> Bool {
    answer == .transition && target == state && !items.isEmpty
  }
}
