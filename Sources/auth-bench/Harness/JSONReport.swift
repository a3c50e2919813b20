/// The result for programs: one JSON document, `version` 2, each figure in the unit of its row.
struct JSONReport {
  static func render(_ results: [(suite: Suite, rows: [Row])]) -> String {
    let suites = results.map { suite, rows in
      "{\"name\":\(quoted(suite.name)),\"rows\":[" + rows.map(object).joined(separator: ",") + "]}"
    }
    return "{\"version\":2,\"machine\":\(machine),\"suites\":[" + suites.joined(separator: ",") + "]}\n"
  }

  private static var machine: String {
    let facts = Machine.facts.map { "\(quoted($0.name)):\(quoted($0.value))" }
    return "{" + facts.joined(separator: ",") + "}"
  }

  private static func object(_ row: Row) -> String {
    var fields = ["\"name\":\(quoted(row.name))"]
    if let reason = row.skipped { fields.append("\"skipped\":\(quoted(reason))") }
    if let measurement = row.measurement {
      fields += [
        "\"unit\":\(quoted(row.benchmark.unit.rawValue))", "\"median\":\(measurement.median)",
        "\"minimum\":\(measurement.minimum)", "\"spread\":\(measurement.spread)",
        "\"samples\":\(measurement.samples.count)",
      ]
    }
    if let baseline = row.baseline, let ratio = row.ratio {
      fields += ["\"baseline\":\(quoted(baseline.name))", "\"ratio\":\(ratio)"]
    }
    if let ratio = row.ratioOfMinima { fields.append("\"ratio_of_minima\":\(ratio)") }
    switch row.benchmark.goal {
    case .ratio(let limit): fields.append("\"goal\":{\"ratio\":\(limit)}")
    case .ratioAtLeast(let limit): fields.append("\"goal\":{\"ratio_at_least\":\(limit)}")
    case .within(let limit): fields.append("\"goal\":{\"within\":\(limit)}")
    case .atMost(let limit): fields.append("\"goal\":{\"at_most\":\(limit)}")
    case nil: break
    }
    if let isMet = row.isMet { fields.append("\"met\":\(isMet)") }
    return "{" + fields.joined(separator: ",") + "}"
  }

  private static func quoted(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"", "\\": result += "\\\(scalar)"
      case _ where scalar.value < 0x20:
        let digits = String(scalar.value, radix: 16)
        result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      case _: result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }
}
