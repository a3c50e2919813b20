package import AuthCore

extension BootID {
  package var bytes: [UInt8] {
    [high, low].flatMap { part in stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: part >> $0) } }
  }

  package init?(_ bytes: [UInt8]) {
    guard bytes.count == 16 else { return nil }
    func number(_ part: ArraySlice<UInt8>) -> UInt64 { part.reduce(0) { $0 << 8 | UInt64($1) } }
    self.init(high: number(bytes[..<8]), low: number(bytes[8...]))
  }
}
