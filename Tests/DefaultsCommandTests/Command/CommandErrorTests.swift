import Defaults
import DefaultsCommand
import Testing

@Suite("Errors of the settings command")
struct CommandErrorTests {
  @Test("A name with control characters is escaped once in an error of the command")
  func escaped() {
    for text in ["a\nb", "a\u{1B}[31mb", "a\0b", "a\u{202E}b"] {
      let error = Defaults.SuiteError(.undecodable, "no", key: text)
      #expect(!error.description.contains(text))
      #expect(Defaults.CommandError(error).description == error.description)
    }
  }

  @Test(
    "A command exits with 65 for a journal of a newer version, and for a missing required value",
    arguments: [Defaults.SuiteError.Code.unsupportedLog, .missing])
  func unsuitable(code: Defaults.SuiteError.Code) {
    #expect(Defaults.CommandError(Defaults.SuiteError(code, "no")).status == 65)
  }
}
