/// The result for programs: one JSON document, `version` 1, times in nanoseconds per operation.
///
/// Names are our own literals, so only what JSON must have escaped is.
struct JSONReport {
  static func render(_ results: [(suite: Suite, rows: [Row])]) -> String {
    let suites = results.map { suite, rows in
      "{\"name\":\(quoted(suite.name)),\"rows\":[" + rows.map(object).joined(separator: ",") + "]}"
    }
    return "{\"version\":1,\"suites\":[" + suites.joined(separator: ",") + "]}\n"
  }

  private static func object(_ row: Row) -> String {
    var fields = [
      "\"name\":\(quoted(row.measurement.name))",
      "\"median\":\(row.measurement.median)",
      "\"spread\":\(row.measurement.spread)",
      "\"samples\":\(row.measurement.samples.count)",
    ]
    if let baseline = row.baseline, let ratio = row.ratio {
      fields.append("\"baseline\":\(quoted(baseline.name)),\"ratio\":\(ratio)")
    }
    switch row.goal {
    case .ratio(let limit): fields.append("\"goal\":{\"ratio\":\(limit)}")
    case .nanoseconds(let limit): fields.append("\"goal\":{\"nanoseconds\":\(limit)}")
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
