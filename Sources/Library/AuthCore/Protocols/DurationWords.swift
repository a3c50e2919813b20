extension Duration {
  /// The time in words, never shorter than it is: in its two largest units, such as `1 day 2 h`.
  package var inWords: String {
    let units: [(name: String, seconds: Int64)] = [("day", 86_400), ("h", 3600), ("min", 60), ("s", 1)]
    let (whole, rest) = components
    var left = max(0, rest > 0 && whole < .max ? whole + 1 : whole)
    guard let first = units.firstIndex(where: { left >= $0.seconds }) else { return "0 s" }
    let smallest = units[min(first + 1, units.count - 1)].seconds
    if left < .max - smallest { left = (left + smallest - 1) / smallest * smallest }
    var words: [String] = []
    for (name, seconds) in units where left >= seconds && seconds >= smallest {
      let count = left / seconds
      words.append("\(count) \(name)\(name == "day" && count > 1 ? "s" : "")")
      left %= seconds
    }
    return words.joined(separator: " ")
  }
}
