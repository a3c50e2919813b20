import AuthCore
import AuthLocal

extension Workspace {
  /// `receipts`: payments made and received, the latest first.
  func receipts(limit: Int, before: String?) async throws(Refusal) -> Answer {
    let first = try receiptNumber(before)
    let screen = try await open(ReceiptsScreen.self)
    let page: [Receipt]
    do throws(LeaseError<LocalFailure>) {
      page = try screen.page(of: authority, before: first, limit: limit)
    } catch {
      throw Refusal(error)
    }
    let own = screen.session.user.username
    var table = Table([
      .init(title: "RECEIPT", alignment: .right), .init(title: "TIME"), .init(title: "AMOUNT", alignment: .right),
      .init(title: "WITH"),
    ])
    for receipt in page {
      let isOut = receipt.payer == own
      table.add([
        String(receipt.id), UTCTime(seconds: receipt.madeAt.seconds).local,
        (isOut ? "-" : "+") + receipt.amount.description, isOut ? receipt.payee : receipt.payer ?? "opening credit",
      ])
    }
    return Answer(
      lines: bar("Receipts") + (page.isEmpty ? ["No receipts."] : lines(table)),
      ["receipts": .array(page.map(JSON.receipt))],
      notes: page.count == limit ? ["More: auth-cli receipts --before \(page[limit - 1].id)"] : [])
  }

  private func receiptNumber(_ text: String?) throws(Refusal) -> Int64? {
    guard let text else { return nil }
    guard let number = Int64(text) else {
      throw Refusal(
        .usage, "receipt_invalid", "'\(TextEscaping.escape(text))' is not the number of a receipt",
        hint: "Take one from the first column of: auth-cli receipts")
    }
    return number
  }
}
