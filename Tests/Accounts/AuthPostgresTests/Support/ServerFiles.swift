import Glibc
import Programs
import Services
import Testing

/// Certificates, rules of access and password files for a server of a test.
struct ServerFiles {
  private let folder = ShortFolder()
  private var directory: String { folder.path }

  init() throws {
    let script = """
      set -e
      chmod 755 '\(directory)'
      cd '\(directory)'
      for name in server other; do
        openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=localhost \\
          -addext subjectAltName=DNS:localhost -keyout $name.key -out $name.crt 2>openssl.log
      done
      if [ "$(id -u)" = 0 ]; then chgrp 65534 server.key; chmod 640 server.key; else chmod 600 server.key; fi
      printf '%s\\n' 'local all postgres trust' 'local all all scram-sha-256' 'hostssl all all 127.0.0.0/8 trust' >hba
      echo '*:*:*:*:right word' >right
      echo '*:*:*:*:wrong word' >wrong
      chmod 600 right wrong
      chmod 644 hba *.crt
      """
    try #require(system(script) == 0)
  }

  var settings: [String] {
    ["hba_file=\(directory)/hba", "ssl_cert_file=\(directory)/server.crt", "ssl_key_file=\(directory)/server.key"]
  }
  var certificate: String { directory + "/server.crt" }
  var otherCertificate: String { directory + "/other.crt" }
  var rightWord: String { directory + "/right" }
  var wrongWord: String { directory + "/wrong" }
}
