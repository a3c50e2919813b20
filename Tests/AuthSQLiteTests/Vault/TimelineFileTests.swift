import AuthDevice
import AuthSQLite
import Testing

@Suite struct TimelineFileTests {
  @Test("the newest timeline of each cluster is kept, in a private file") func keeping() {
    let work = Workspace()
    let file = TimelineFile(directory: work.state)
    #expect(file.newest(of: "a") == nil)
    file.keep(3, of: "a")
    file.keep(7, of: "b")
    file.keep(2, of: "a")
    #expect(TimelineFile(directory: work.state).newest(of: "a") == 3)
    #expect(file.newest(of: "b") == 7)
    #expect(work.mode(file.path) == "600" && work.mode(work.state) == "700")
  }

  @Test(
    "a file that cannot be read says nothing, and the next timeline replaces it",
    arguments: ["printf 'a\\n\\377 4\\na 99999999999\\n' >", "printf '%s' a >"])
  func damaged(damage: String) {
    let work = Workspace()
    let file = TimelineFile(directory: work.state)
    file.keep(3, of: "a")
    work.run("\(damage) '\(file.path)'")
    #expect(file.newest(of: "a") == nil)
    file.keep(4, of: "a")
    #expect(file.newest(of: "a") == 4)
  }

  @Test("a link in its place is not followed, and a directory of other files is left alone") func notOurs() {
    let work = Workspace()
    work.run("mkdir -m 700 '\(work.state)'; echo 'a 5' >'\(work.path)/target'")
    let file = TimelineFile(directory: work.state)
    work.run("ln -s '\(work.path)/target' '\(file.path)'")
    #expect(file.newest(of: "a") == nil)
    work.run("mkdir -m 755 '\(work.data)'; touch '\(work.data)/other'")
    TimelineFile(directory: work.data).keep(3, of: "a")
    #expect(work.run("ls '\(work.data)'") == "other")
    #expect(work.mode(work.data) == "755")
  }
}
