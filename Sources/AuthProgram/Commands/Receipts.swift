import AuthBackend
import AuthCore
import AuthLocal
import CommandLineKit

extension Workspace {
  /// `receipts`: payments made and received, the latest first.
  func receipts(limit: Int, before: Int64?) async throws(Refusal) -> Answer {
    let screen = try await open(ReceiptsScreen.self)
    let page = try await asking { () throws(LeaseError<LocalFailure>) in
      try screen.page(of: authority, before: before, limit: limit)
    }
    let own = screen.session.user.username
    var table = Table([
      .init(title: "RECEIPT", alignment: .right), .init(title: "TIME"), .init(title: "AMOUNT", alignment: .right),
      .init(title: "WITH"),
    ])
    for receipt in page.items {
      let isOut = receipt.payer == own
      table.add([
        String(receipt.id), UTCTime(seconds: receipt.madeAt.seconds).local(.seconds),
        (isOut ? "-" : "+") + receipt.amount.description, isOut ? receipt.payee : receipt.payer ?? "opening credit",
      ])
    }
    return Answer(
      lines: bar("Receipts") + (page.items.isEmpty ? ["No receipts."] : lines(table)),
      [
        "receipts": .array(page.items.map(JSON.receipt)), "shown": .integer(Int64(screen.shown)),
        "next_before": page.lastOfMore.map { .integer($0.id) } ?? .null,
      ],
      notes: page.lastOfMore.map { [more("receipts --before \($0.id)", limit: limit)] } ?? [])
  }
}
