/// Draws values over time with the block characters of Unicode.
enum Chart {
  private static let eighths: [Character] = [" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"]

  /// The values in one row.
  static func line(_ values: [Int64], width: Int) -> String {
    area(values, width: min(width, values.count), height: 1).joined()
  }

  /// The values in rows from the top: the largest fills its column, and the smallest is an eighth
  /// of a row high.
  static func area(_ values: [Int64], width: Int, height: Int) -> [String] {
    guard !values.isEmpty, width > 0, height > 0 else { return [] }
    let bottom = values.min() ?? 0
    let range = Double(max(1, (values.max() ?? 0) - bottom))
    let levels = (0..<width).map { column in
      // The value at the end of the time that the column stands for.
      let index = (column + 1) * values.count / width - 1
      let value = Double(values[min(values.count - 1, max(0, index))] - bottom)
      return 1 + Int((value / range * Double(height * 8 - 1)).rounded())
    }
    return (0..<height).reversed().map { row in
      String(levels.map { eighths[min(8, max(0, $0 - row * 8))] })
    }
  }
}
