import AuthBackend
import AuthCore
import AuthPostgres
import Glibc

// Pays over live connections to a server, for the benchmarks:
// auth-live-payments ADDRESS SECRET PAYEE CONNECTIONS PAYMENTS
// SECRET is that of a session, in hexadecimal digits. PAYMENTS is for each connection.

func end(_ error: any Error) -> Never {
  let text = Array("\(error)\n".utf8)
  write(STDERR_FILENO, text, text.count)
  exit(1)
}

struct Payments: Sendable {
  let address: String
  let secret: [UInt8]
  let order: PaymentOrder
  let connections: Int
  let perConnection: Int

  init(_ words: [String]) throws {
    guard words.count == 6, let connections = Int(words[4]), let payments = Int(words[5]) else {
      throw BackendError.invalid("usage", "Five words are needed.", hint: "Read the source.")
    }
    address = words[1]
    let digits = words[2].utf8.compactMap { Character(UnicodeScalar($0)).hexDigitValue }
    secret = stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] * 16 + digits[$0 + 1]) }
    order = PaymentOrder(amount: try Amount(minorUnits: 1), payee: try Username(words[3]))
    self.connections = connections
    perConnection = payments
  }

  /// Pays on a thread for each connection, and waits for all.
  func make() {
    let threads = (0..<connections).map { _ in
      var thread = pthread_t()
      let box = Unmanaged.passRetained(Box(self))
      precondition(
        pthread_create(
          &thread, nil,
          { box in
            guard let box else { return nil }
            do { try Unmanaged<Box>.fromOpaque(box).takeRetainedValue().payments.pay() } catch { end(error) }
            return nil
          }, box.toOpaque()) == 0)
      return thread
    }
    for thread in threads { pthread_join(thread, nil) }
  }

  private func pay() throws {
    let backend = try PostgresBackend(address: address)
    let token = SessionToken(bytes: secret)
    for _ in 0..<perConnection { _ = try backend.pay(order, token: token) }
  }

  private final class Box {
    let payments: Payments
    init(_ payments: Payments) { self.payments = payments }
  }
}

do {
  try Payments(CommandLine.arguments).make()
} catch {
  end(error)
}
