/// A shell that completions can be written for.
enum Shell: String, Choice {
  case bash
  case zsh
  case fish

  var summary: String { "completions for \(rawValue)" }
}
