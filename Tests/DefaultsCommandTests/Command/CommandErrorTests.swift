import Defaults
import DefaultsCommand
import Testing

@Suite("Escaping in errors of the settings command")
struct CommandErrorTests {
  @Test("A name with control characters is escaped once in an error of the command")
  func escaped() {
    for text in ["a\nb", "a\u{1B}[31mb", "a\0b", "a\u{202E}b"] {
      let error = Defaults.SuiteError(.undecodable, "no", key: text)
      #expect(!error.description.contains(text))
      #expect(Defaults.CommandError(error).description == error.description)
    }
  }
}
