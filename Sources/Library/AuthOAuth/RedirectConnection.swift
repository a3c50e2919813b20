#if !canImport(Darwin)
  import Glibc
  import TextFormat

  /// A connection to the listener, which sends one request.
  struct RedirectConnection {
    let descriptor: Int32
    private var request: [UInt8] = []
    /// The limit of what a client can make this process store, more than a browser sends.
    private static let longestRequest = 1 << 16

    init(descriptor: Int32) { self.descriptor = descriptor }

    /// Reads what has arrived.
    ///
    /// - Returns: The path and the query of a GET request; nil while it is incomplete; an empty
    ///   text for everything else, such as a closed connection.
    mutating func read() -> String? {
      var buffer = [UInt8](repeating: 0, count: 8192)
      let count = Glibc.read(descriptor, &buffer, buffer.count)
      if count < 0, errno == EAGAIN || errno == EINTR { return nil }
      guard count > 0 else { return "" }
      request += buffer[..<count]
      // The browser might not read an answer that comes before the end of its request.
      guard !request.suffix(count + 3).ranges(of: Array("\r\n\r\n".utf8)).isEmpty else {
        return request.count > Self.longestRequest ? "" : nil
      }
      return String(decoding: request, as: UTF8.self)
        .prefixMatch(of: /GET (\/[\x21-\x7E]*) HTTP\/1\.[01]\r\n/).map { String($0.1) } ?? ""
    }

    /// Sends an answer, without waiting for a client that does not read it.
    func send(_ answer: String) {
      let bytes = Array(answer.utf8)
      _ = Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
    }
  }

  /// A page with one sentence, which needs nothing but itself, and no script.
  struct RedirectPage {
    let title: String
    let sentence: String

    // The colours are those of the browser, light or dark.
    private static let style =
      "body{font:1.125rem/1.5 system-ui,sans-serif;max-width:32rem;margin:15vh auto;padding:0 1.5rem;"
      + "overflow-wrap:anywhere}h1{font-size:1.5rem}"

    /// The HTTP response with this page.
    func response(_ status: String) -> String {
      let (title, sentence) = (title.htmlText, sentence.htmlText)
      let page = """
        <!doctype html><html lang="en"><head><meta charset="utf-8">\
        <meta name="viewport" content="width=device-width, initial-scale=1">\
        <meta name="color-scheme" content="light dark"><title>\(title)</title><style>\(Self.style)</style></head>\
        <body><main><h1>\(title)</h1><p>\(sentence)</p></main></body></html>

        """
      return Self.response(status, ["Content-Type: text/html; charset=utf-8"], page)
    }

    /// An answer that sends the browser to another path, so that no code and no state stays in its
    /// address bar and its history.
    static func redirect(to path: String) -> String { response("303 See Other", ["Location: \(path)"], "") }

    private static func response(_ status: String, _ headers: [String], _ body: String) -> String {
      let hash = Base64URL.padded(SHA256.hash(Array(style.utf8)))
      let lines =
        ["HTTP/1.1 \(status)"] + headers + [
          "Content-Length: \(body.utf8.count)",
          "Content-Security-Policy: default-src 'none'; style-src 'sha256-\(hash)'",
          "Referrer-Policy: no-referrer", "Cache-Control: no-store", "Connection: close", "", body,
        ]
      return lines.joined(separator: "\r\n")
    }
  }

  extension String {
    /// The text in a page.
    fileprivate var htmlText: String {
      replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
    }
  }
#endif
