/// The hash function SHA-256.
///
/// Tokens are 32 random bytes, so one fast hash makes the stored form useless to a reader of the
/// file. Source: FIPS 180-4, sections 4.1.2, 4.2.2, 5.1.1, 5.3.3 and 6.2.
package enum SHA256 {
  /// Returns the digest of `bytes`: 32 bytes.
  ///
  /// It takes an array, as in `Hex`: a generic function of another module resolves the collection
  /// type at run time, which took a fifth of the time of a short command.
  package static func hash(_ bytes: [UInt8]) -> [UInt8] {
    let message = padded(bytes)
    var state = State()
    var words = [UInt32](repeating: 0, count: 64)
    for start in stride(from: 0, to: message.count, by: 64) {
      for index in 0..<16 {
        let bytes = message[(start + index * 4)...].prefix(4)
        words[index] = bytes.reduce(0) { $0 << 8 | UInt32($1) }
      }
      state.mix(&words)
    }
    return [state.a, state.b, state.c, state.d, state.e, state.f, state.g, state.h].flatMap(\.bigEndianBytes)
  }

  /// The message, a one bit, zeros, and the length in bits, in whole blocks of 64 bytes; SHA-1
  /// uses the same padding.
  package static func padded(_ bytes: [UInt8]) -> [UInt8] {
    let zeros = [UInt8](repeating: 0, count: 63 - (bytes.count + 8) % 64)
    return bytes + [0x80] + zeros + (UInt64(bytes.count) &* 8).bigEndianBytes
  }

  private struct State {
    var (a, b, c, d): (UInt32, UInt32, UInt32, UInt32) = (0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a)
    var (e, f, g, h): (UInt32, UInt32, UInt32, UInt32) = (0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19)

    /// Mixes in a block, which is in the first 16 of the 64 words.
    mutating func mix(_ words: inout [UInt32]) {
      for index in 16..<64 {
        let (early, late) = (words[index - 15], words[index - 2])
        let small0 = early.rotatedRight(7) ^ early.rotatedRight(18) ^ (early >> 3)
        let small1 = late.rotatedRight(17) ^ late.rotatedRight(19) ^ (late >> 10)
        words[index] = words[index - 16] &+ small0 &+ words[index - 7] &+ small1
      }
      let before = self
      for index in 0..<64 {
        let big1 = e.rotatedRight(6) ^ e.rotatedRight(11) ^ e.rotatedRight(25)
        let choice = (e & f) ^ (~e & g)
        let first = h &+ big1 &+ choice &+ SHA256.constants[index] &+ words[index]
        let big0 = a.rotatedRight(2) ^ a.rotatedRight(13) ^ a.rotatedRight(22)
        let majority = (a & b) ^ (a & c) ^ (b & c)
        (a, b, c, d, e, f, g, h) = (first &+ big0 &+ majority, a, b, c, d &+ first, e, f, g)
      }
      (a, b, c, d) = (a &+ before.a, b &+ before.b, c &+ before.c, d &+ before.d)
      (e, f, g, h) = (e &+ before.e, f &+ before.f, g &+ before.g, h &+ before.h)
    }
  }

  private static let constants: [UInt32] = [
    0x428a_2f98, 0x7137_4491, 0xb5c0_fbcf, 0xe9b5_dba5, 0x3956_c25b, 0x59f1_11f1, 0x923f_82a4, 0xab1c_5ed5,
    0xd807_aa98, 0x1283_5b01, 0x2431_85be, 0x550c_7dc3, 0x72be_5d74, 0x80de_b1fe, 0x9bdc_06a7, 0xc19b_f174,
    0xe49b_69c1, 0xefbe_4786, 0x0fc1_9dc6, 0x240c_a1cc, 0x2de9_2c6f, 0x4a74_84aa, 0x5cb0_a9dc, 0x76f9_88da,
    0x983e_5152, 0xa831_c66d, 0xb003_27c8, 0xbf59_7fc7, 0xc6e0_0bf3, 0xd5a7_9147, 0x06ca_6351, 0x1429_2967,
    0x27b7_0a85, 0x2e1b_2138, 0x4d2c_6dfc, 0x5338_0d13, 0x650a_7354, 0x766a_0abb, 0x81c2_c92e, 0x9272_2c85,
    0xa2bf_e8a1, 0xa81a_664b, 0xc24b_8b70, 0xc76c_51a3, 0xd192_e819, 0xd699_0624, 0xf40e_3585, 0x106a_a070,
    0x19a4_c116, 0x1e37_6c08, 0x2748_774c, 0x34b0_bcb5, 0x391c_0cb3, 0x4ed8_aa4a, 0x5b9c_ca4f, 0x682e_6ff3,
    0x748f_82ee, 0x78a5_636f, 0x84c8_7814, 0x8cc7_0208, 0x90be_fffa, 0xa450_6ceb, 0xbef9_a3f7, 0xc671_78f2,
  ]
}

extension FixedWidthInteger {
  /// The bytes, the highest first.
  package var bigEndianBytes: [UInt8] { withUnsafeBytes(of: bigEndian, Array.init) }
}

extension UInt32 {
  fileprivate func rotatedRight(_ count: UInt32) -> UInt32 { self &>> count | self &<< (32 &- count) }
}
