import Foundation
import Testing

/// Links of documents and symbolic links lead to files of the repository, so that they work where
/// it is read; `make docs` makes them links of the web site.
@Suite(.timeLimit(.minutes(10))) struct LinkTests {
  private static let documents =
    ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "fixtures/README.md"] + Repository.articles

  @Test("every relative link of a document leads to a file", arguments: documents)
  func links(_ document: String) throws {
    let folder = document.split(separator: "/").dropLast().map(String.init)
    for link in try Repository.text(of: document).matches(of: /\]\((?<target>[^)\s]+)\)/) {
      let target = link.target.prefix { $0 != "#" }
      if target.isEmpty || target.contains("://") { continue }
      let path = ([Repository.root] + folder + [String(target)]).joined(separator: "/")
      #expect(FileManager.default.fileExists(atPath: path), "\(document): \(target)")
    }
  }

  @Test("no article links in a form that only the web site understands", arguments: Repository.articles)
  func siteOnly(_ article: String) throws {
    #expect(!(try Repository.text(of: article).contains("<doc:")), "write [Title](Name.md)")
  }

  @Test("every symbolic link leads to a file")
  func symbolicLinks() throws {
    let links = ["Sources", "Tests", "fixtures"].flatMap { top in
      Repository.files(below: top, suffix: "").filter {
        (try? FileManager.default.destinationOfSymbolicLink(atPath: Repository.root + "/" + $0)) != nil
      }
    }
    #expect(!links.isEmpty)
    for link in links { #expect(FileManager.default.fileExists(atPath: Repository.root + "/" + link), "\(link)") }
  }
}
