/// A shell that completions can be written for.
package enum Shell: String, Choice {
  case bash
  case zsh
  case fish

  package var summary: String { "completions for \(rawValue)" }
}
