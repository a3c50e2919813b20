import Testing

@testable import AuthOAuth

/// The header with which a resource demands a token.
@Suite(.timeLimit(.minutes(10))) struct BearerChallengeTests {
  @Test(
    "the parameters of the challenge are found, whatever else the header contains",
    arguments: [
      #"Bearer resource_metadata="https://a.example/m", scope="read write""#,
      #"bearer Resource_Metadata=https://a.example/m"# + "\u{1}",
      #"BEARER  resource_metadata = "https://a.example/m" ,scope="read write""#,
      #"Negotiate, Bearer resource_metadata="https://a.example/m", scope="read write""#,
      #"Negotiate abc==, Bearer resource_metadata="https://a.example/m", scope="read write", Basic realm="b""#,
      #"Basic realm="Bearer resource_metadata=\"https://evil.example\", x", Bearer resource_metadata="https://a.example/m", scope="read write""#,
      #", ,Bearer realm="a, b" , , resource_metadata="https:\/\/a.example/m",scope="read\ write","#,
      #"DPoP algs="ES256", Bearer resource_metadata="https://a.example/m", scope="read write", Bearer scope="other""#,
    ])
  func found(header: String) {
    let challenge = BearerChallenge(header)
    // A value without quotes ends at the colon, and what follows makes the challenge unreadable.
    guard !header.hasSuffix("\u{1}") else { return #expect(challenge == nil) }
    #expect(challenge?["resource_metadata"] == "https://a.example/m")
    #expect(challenge?["scope"] == "read write")
    #expect(challenge?["resource"] == nil)
  }

  @Test(
    "what is not a well-formed challenge is none",
    arguments: [
      "", ",", "=", "\"", #"Basic realm="a""#, #"Bearer realm="a"#, #"Bearer realm="a\"#, #"Bearer realm="a" b"#,
      #"Bearer realm="a", realm="b""#, "Bearer realm=\"a\u{7}\"", #"Basic x y="Bearer a="b", c"#,
      #"Basic "Bearer resource_metadata=https://evil.example""#, "Bearerrealm=a",
    ])
  func none(header: String) { #expect(BearerChallenge(header) == nil) }

  @Test("a challenge without parameters is one")
  func empty() {
    for header in ["Bearer", "Bearer ", "Basic, Bearer", "Bearer, Basic", "Bearer abc=="] {
      #expect(BearerChallenge(header) != nil && BearerChallenge(header)?["abc"] == nil)
    }
  }

  @Test("a long header is read once, and never from its start again")
  func long() {
    let backslashes = String(repeating: #"\\"#, count: 100_000)
    #expect(BearerChallenge(#"Bearer realm=""# + backslashes) == nil)
    #expect(BearerChallenge(#"Bearer realm=""# + backslashes + #"""#)?["realm"]?.utf8.count == 100_000)
    #expect(BearerChallenge(String(repeating: "Basic a=b, ", count: 20_000) + "Bearer scope=s")?["scope"] == "s")
    #expect(BearerChallenge(String(repeating: "a ", count: 100_000)) == nil)
  }
}
