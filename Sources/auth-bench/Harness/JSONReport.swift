import TextFormat

/// The result for programs: one JSON document, `version` 2, each figure in the unit of its row.
struct JSONReport {
  static func render(_ results: [(suite: Suite, rows: [Row])]) -> String {
    let machine = JSON.object(Machine.facts.map { .init(name: $0.name, value: .string($0.value)) })
    let suites = results.map { suite, rows -> JSON in
      ["name": .string(suite.name), "rows": .array(rows.map(object))]
    }
    return JSON.members(["version": 2, "machine": machine, "suites": .array(suites)]).text + "\n"
  }

  private static func object(_ row: Row) -> JSON {
    var fields = [JSON.Member(name: "name", value: .string(row.name))]
    func add(_ name: String, _ value: JSON?) {
      if let value { fields.append(.init(name: name, value: value)) }
    }
    add("skipped", row.skipped.map(JSON.string))
    if let measurement = row.measurement {
      add("unit", .string(row.benchmark.unit.rawValue))
      add("median", .number(measurement.median))
      add("minimum", .number(measurement.minimum))
      add("spread", .number(measurement.spread))
      add("samples", .integer(Int64(measurement.samples.count)))
    }
    if let baseline = row.baseline, let ratio = row.ratio {
      add("baseline", .string(baseline.name))
      add("ratio", .number(ratio))
    }
    add("ratio_of_minima", row.ratioOfMinima.map(JSON.number))
    switch row.benchmark.goal {
    case .ratio(let limit): add("goal", ["ratio": .number(limit)])
    case .ratioAtLeast(let limit): add("goal", ["ratio_at_least": .number(limit)])
    case .within(let limit): add("goal", ["within": .number(limit)])
    case .atMost(let limit): add("goal", ["at_most": .number(limit)])
    case nil: break
    }
    add("met", row.isMet.map(JSON.bool))
    return .object(fields)
  }
}
