import AuthRules
import Foundation
import Testing

@Suite(.timeLimit(.minutes(10))) struct CompositionTests {
  /// Foundation may know another version of Unicode; for what both know, composition never changes
  /// (UAX #15, section 3).
  @Test("the composition is Foundation's, for every scalar alone and after marks, up to Unicode 15")
  func everyScalar() {
    var different: [UInt32] = []
    for value in UInt32(0x80)...0x2FFFF {
      guard let scalar = Unicode.Scalar(value), let age = scalar.properties.age, age.major <= 15 else { continue }
      var view = String.UnicodeScalarView([scalar])
      view.append(contentsOf: "a\u{323}\u{301}".unicodeScalars)
      view.append(scalar)
      let text = String(view)
      let ours = PasswordComposition.composed(text)
      if Array(ours.utf8) != Array(text.precomposedStringWithCanonicalMapping.utf8) { different.append(value) }
    }
    #expect(different == [])
  }
}
