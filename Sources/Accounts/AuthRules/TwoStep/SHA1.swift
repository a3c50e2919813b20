import TextFormat

/// The hash function SHA-1, and the keyed hash that codes are made with.
///
/// Authenticator apps know no other function everywhere. That SHA-1 has collisions does not matter
/// here: HMAC does not rest on them.
/// Source: FIPS 180-4, section 6.1; RFC 2104; RFC 4226, appendix B.1.
package enum SHA1 {
  private static let blockLength = 64

  /// The keyed hash of a message: 20 bytes.
  package static func authenticate(_ message: [UInt8], key: [UInt8]) -> [UInt8] {
    var block = key.count > blockLength ? hash(key) : key
    block += repeatElement(0, count: blockLength - block.count)
    return hash(block.map { $0 ^ 0x5C } + hash(block.map { $0 ^ 0x36 } + message))
  }

  /// The digest of all of `bytes`: 20 bytes.
  package static func hash(_ bytes: [UInt8]) -> [UInt8] {
    let message = SHA256.padded(bytes)
    var state: [UInt32] = [0x6745_2301, 0xEFCD_AB89, 0x98BA_DCFE, 0x1032_5476, 0xC3D2_E1F0]
    for start in stride(from: 0, to: message.count, by: blockLength) {
      consume(message[start..<start + blockLength], &state)
    }
    return state.flatMap(\.bigEndianBytes)
  }

  private static func consume(_ block: ArraySlice<UInt8>, _ state: inout [UInt32]) {
    var words = stride(from: block.startIndex, to: block.endIndex, by: 4).map { start in
      block[start..<start + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    }
    for index in 16..<80 {
      words.append((words[index - 3] ^ words[index - 8] ^ words[index - 14] ^ words[index - 16]).rotatedLeft(1))
    }
    var (a, b, c, d, e) = (state[0], state[1], state[2], state[3], state[4])
    for (index, word) in words.enumerated() {
      let (mixed, constant): (UInt32, UInt32) =
        switch index / 20 {
        case 0: ((b & c) | (~b & d), 0x5A82_7999)
        case 1: (b ^ c ^ d, 0x6ED9_EBA1)
        case 2: ((b & c) | (b & d) | (c & d), 0x8F1B_BCDC)
        case _: (b ^ c ^ d, 0xCA62_C1D6)
        }
      (a, b, c, d, e) = (a.rotatedLeft(5) &+ mixed &+ e &+ constant &+ word, a, b.rotatedLeft(30), c, d)
    }
    for (index, part) in [a, b, c, d, e].enumerated() { state[index] &+= part }
  }
}

extension UInt32 {
  fileprivate func rotatedLeft(_ count: UInt32) -> UInt32 { self &<< count | self &>> (32 &- count) }
}
