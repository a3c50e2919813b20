public import AuthCore
import TextFormat

/// Why curl brought no usable answer.
///
/// Frozen: a later version adds no case.
public enum CurlFailure: Hashable, Sendable, ExplainedError, Worded {
  /// The program could not be started.
  case notStarted
  /// The system has no more open files, processes or memory for the program.
  case noResources
  /// The request contains a character that cannot be sent, is too long, or goes to an address that
  /// is not secure.
  case unsendable
  /// curl ended with this status.
  case failed(Int32)
  /// curl ended before it wrote its status: it was killed, or is older than 7.75.
  case interrupted
  /// The answer is longer than the limit.
  case tooLarge
  /// The answer is not one of HTTP.
  case unusable
  /// The proxy answered with this status in place of a connection to the server.
  case proxyRefused(Int)
  /// The certificate of the server has expired, or is not valid yet.
  case certificateExpired
  /// There is no answer yet, and curl continues to wait for it, to record it.
  case underWay

  /// Whether the server certainly did not get the request.
  public var isUnsent: Bool {
    switch self {
    case .notStarted, .noResources, .unsendable, .proxyRefused, .certificateExpired: true
    // The statuses of an option, a name, a connection and a handshake.
    case .failed(let status): [2, 3, 4, 5, 6, 7, 26, 35, 51, 53, 54, 58, 59, 60, 66, 77, 83, 90, 97].contains(status)
    case .interrupted, .tooLarge, .unusable, .underWay: false
    }
  }

  package var words: ErrorWords { words(about: nil) }

  /// The messages, which name the server's host if it is known.
  package func words(about host: String?) -> ErrorWords {
    let server = host.map { "server \($0)" } ?? "server"
    switch self {
    case .notStarted: return ("The program curl cannot be started.", "Install curl.")
    case .noResources:
      return (
        "The system cannot start curl: too many files are open or too many programs run.", "Close some, and try again."
      )
    case .unsendable:
      return ("The request cannot be sent with curl.", "Check the app's settings and the server's addresses.")
    case .failed(5):
      return (
        "The name of the proxy cannot be found.",
        "Check the proxy's address in https_proxy or all_proxy, and the network."
      )
    case .failed(6): return ("The name of the \(server) cannot be found.", "Check the network and the address.")
    case .failed(7):
      return (
        "The \(server) accepts no connection.",
        "Check the address, and the proxy if https_proxy or all_proxy names one; or try again later."
      )
    case .proxyRefused(let status):
      return (
        "The proxy gives no connection to the \(server): it answered with status \(status).",
        status == 407
          ? "Name the user and the password of the proxy in https_proxy."
          : "Ask the administrators of the proxy, or except the server from it in no_proxy."
      )
    case .certificateExpired:
      return (
        "No secure connection to the \(server) is possible: its certificate has expired or is not valid yet.",
        "Check the clock of this machine. If it is right, the server needs a new certificate."
      )
    case .failed(28): return ("The \(server) did not answer in time.", "Try again later.")
    case .failed(35):
      return (
        "No secure connection to the \(server) is possible.",
        "Check the address; the server may not accept https there."
      )
    case .failed(51), .failed(60), .failed(77), .failed(83), .failed(90):
      return (
        "No secure connection to the \(server) is possible: its certificate is not accepted.",
        "Check the address and the network. If the certificate is of your own authority, name that in CURL_CA_BUNDLE."
      )
    case .failed(18), .failed(52), .failed(55), .failed(56):
      return ("The answer of the \(server) did not arrive completely.", "Try again later.")
    // An answer of HTTP 0.9, and headers that contradict each other.
    case .failed(1), .failed(8), .unusable: return ("The answer of the \(server) is not HTTP.", "Try again later.")
    case .failed(let status):
      return ("The request to the \(server) failed: curl ended with status \(status).", "Try again later.")
    case .underWay:
      return (
        "The \(server) did not answer in time. The request continues, and its answer will be saved.", "Try again later."
      )
    case .interrupted: return ("curl was interrupted.", "Try again.")
    case .tooLarge: return ("The answer of the \(server) is too long.", "Try again later.")
    }
  }
}

/// The output of curl with `--include`: headers, body, and in a last line its own status, which
/// shows that the answer is complete.
package enum CurlOutput {
  /// The last line, in the format of `--write-out`.
  static let trailer = #"\ncurl %{exitcode} %{ssl_verify_result} %{http_connect}"#
  /// What OpenSSL says of a certificate that is not valid yet, or no longer (X509_V_ERR).
  private static let untimely = [9, 10]

  static func response(_ bytes: [UInt8]) throws(CurlFailure) -> OAuthResponse {
    // A file is allocated before the request, and its unused end is zero.
    let written = bytes[...(bytes.lastIndex { $0 != 0 } ?? -1)]
    guard let end = written.lastIndex(of: newline),
      let (_, status, verified, connected) = String(decoding: written[(end + 1)...], as: UTF8.self)
        .wholeMatch(of: /curl (\d{1,3}) (\d{1,9}) (\d{3})/)?.output
    else { throw .interrupted }
    guard status == "0" else {
      if let answer = Int(connected), answer >= 300 { throw .proxyRefused(answer) }
      if status == "60", let verified = Int(verified), untimely.contains(verified) { throw .certificateExpired }
      throw status == "63" ? .tooLarge : .failed(Int32(status) ?? 0)
    }
    var rest = written[..<end]
    guard let (code, headers) = try head(&rest) else { throw .unusable }
    return (code, headers, Array(rest))
  }

  private static let newline = UInt8(ascii: "\n")

  /// Removes the status and the headers of the final response from the start; nil if they are not
  /// complete.
  package static func head(
    _ rest: inout ArraySlice<UInt8>
  ) throws(CurlFailure) -> (status: Int, headers: [String: String])? {
    while let lines = linesOfHead(&rest) {
      guard let first = lines.first,
        let code = String(decoding: first, as: UTF8.self).prefixMatch(of: /HTTP\/\S+ ([1-5]\d\d)(?: |$)/)?.1,
        let status = Int(code)
      else { throw .unusable }
      // An interim response comes before the final one (RFC 9110, section 15.2).
      if status >= 200 { return (status, headers(lines.dropFirst())) }
    }
    return nil
  }

  /// Removes the lines up to the first empty one from the start, and returns them; nil if there is
  /// none.
  private static func linesOfHead(_ rest: inout ArraySlice<UInt8>) -> [ArraySlice<UInt8>]? {
    var (lines, unread): ([ArraySlice<UInt8>], _) = ([], rest)
    while let end = unread.firstIndex(of: newline) {
      var line = unread[..<end]
      unread = unread[(end + 1)...]
      if line.last == UInt8(ascii: "\r") { line.removeLast() }
      guard line.isEmpty else {
        lines.append(line)
        continue
      }
      rest = unread
      return lines
    }
    return nil
  }

  /// The headers by their names in lower case; of several with one name the first counts, except
  /// for challenges, which are joined (RFC 9110, section 5.3).
  private static func headers(_ lines: ArraySlice<ArraySlice<UInt8>>) -> [String: String] {
    lines.reduce(into: [:]) { headers, line in
      let parts = line.split(separator: UInt8(ascii: ":"), maxSplits: 1, omittingEmptySubsequences: false)
      guard parts.count == 2, !parts[0].isEmpty, parts[0].allSatisfy(isOfToken),
        let value = String(received: Array(parts[1].drop(while: isBlank).reversed().drop(while: isBlank).reversed()))
      else { return }
      let name = String(decoding: parts[0], as: UTF8.self).lowercased()
      if let first = headers[name], name == "www-authenticate" { headers[name] = "\(first), \(value)" }
      if headers[name] == nil { headers[name] = value }
    }
  }

  private static func isBlank(_ byte: UInt8) -> Bool { " \t".utf8.contains(byte) }

  /// Whether a name of a header may have this character (RFC 9110, section 5.6.2).
  static func isOfToken(_ byte: UInt8) -> Bool {
    byte.isASCIIAlphanumeric || "!#$%&'*+-.^_`|~".utf8.contains(byte)
  }
}
