import Programs
import Testing

/// Commands that run while another process exchanges the token of the same session.
@Suite("A token that another process exchanges", .serialized, .timeLimit(.minutes(10)))
struct ExchangedTokenTests {
  @Test("guarded commands in two loops beside a loop of renewals: none is refused, and none is lost")
  func renewals() async throws {
    let home = try await CommandHome(loggedIn: true)
    let crowd = try await Crowd(
      home,
      """
      renewing="$notes.renewing"; : >"$renewing"; : >"$notes/pay-1"; : >"$notes/look-1"
      renews() { echo "$alice" | run reauth-1 reauth --password-stdin; }
      many() { [ $(wc -l <"$notes/$1") -gt 100 ]; }
      (for i in $(seq 40); do renews; done; until many pay-1 && many look-1; do renews; done; rm "$renewing") &
      (while [ -e "$renewing" ]; do
        run pay-1 pay 0.01 --to bob; run pay-1 pay 0.01 --to bob; run pay-1 pay 0.01 --to bob
      done) &
      (while [ -e "$renewing" ]; do
        for guarded in receipts profile sessions events 'accounts list' 'profile --name Alice'; do run look-1 $guarded; done
      done) &
      """)
    for (loop, least) in [("reauth-", 40), ("pay-", 101), ("look-", 101)] {
      let statuses = crowd.all(loop)
      #expect(statuses.count >= least, "too few to meet a renewal: \(statuses.count)")
      #expect(statuses.allSatisfy { $0 == 0 }, "\(loop): \(crowd.outcome.text)")
    }
    let books = try #require(Books(home.database))
    #expect(books.areInOrder && books.transfers == 2 + crowd.all("pay-").count && books.liveSessions == 1, "\(books)")
  }
}
