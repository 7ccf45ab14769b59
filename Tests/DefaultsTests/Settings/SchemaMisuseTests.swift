import Defaults
import Testing

private struct Preferences: Defaults.Schema {
  @Stored var volume = 5
}

private struct OfTwoTypes: Defaults.Schema {
  @Stored var volume = 5
  @Stored(name: "volume") var loudness = "6"
}

private struct OfTwoRules: Defaults.Schema {
  @Stored(.in(0...11)) var volume = 5
  @Stored(name: "volume", .in(0...10)) var loudness = 6
}

/// As a module without reflection names shows it.
private struct Nameless: Defaults.Schema, CustomReflectable {
  @Stored var volume = 5

  var customMirror: Mirror { Mirror(self, unlabeledChildren: [_volume]) }
}

/// As a module without reflection metadata shows it.
private struct Opaque: Defaults.Schema, CustomReflectable {
  @Stored var volume = 5

  var customMirror: Mirror { Mirror(self, children: []) }
}

/// Has one group of settings for all of its values.
private struct Reusing: Defaults.Schema {
  static let preferences = Preferences()

  let preferences = Self.preferences
}

private struct OptionalGroup: Defaults.Schema {
  var editor: Preferences? = Preferences()
}

private struct ArrayOfGroups: Defaults.Schema {
  @Stored var volume = 5
  var editors = [Preferences()]
}

#if os(macOS) || os(Linux)
  @Suite("Misuse of schemas")
  struct SchemaMisuseTests {
    @Test("A schema that isn't bound traps, and says how to make one")
    func unbound() async throws {
      let result = await #expect(
        processExitsWith: .failure, observing: [\.standardErrorContent]
      ) {
        _ = Preferences().volume
      }
      #expect(try text(of: result).contains("write `Preferences.standard`"))
    }

    @Test("Two properties of one name trap if their types or rules differ, and are named")
    func twice() async throws {
      let types = await #expect(
        processExitsWith: .failure, observing: [\.standardErrorContent]
      ) {
        _ = OfTwoTypes(suite: Defaults.MemorySuite())
      }
      #expect(
        try text(of: types).contains(
          "have the name volume, volume and loudness, of type Int and of type String"))
      let rules = await #expect(
        processExitsWith: .failure, observing: [\.standardErrorContent]
      ) {
        _ = OfTwoRules(suite: Defaults.MemorySuite())
      }
      #expect(try text(of: rules).contains("volume and loudness, with different rules"))
    }

    @Test("Properties that belong to a schema trap in another one, with their name")
    func reused() async throws {
      let result = await #expect(
        processExitsWith: .failure, observing: [\.standardErrorContent]
      ) {
        _ = Reusing(suite: Defaults.MemorySuite())
        _ = Reusing(suite: Defaults.MemorySuite())
      }
      #expect(try text(of: result).contains("can belong to one schema only: preferences.volume"))
    }

    @Test("A group that may be missing, or several, traps and is named")
    func optionalGroup() async throws {
      let optional = await #expect(
        processExitsWith: .failure, observing: [\.standardErrorContent]
      ) {
        _ = OptionalGroup(suite: Defaults.MemorySuite())
      }
      #expect(try text(of: optional).contains("editor of OptionalGroup can't be a group"))
      let array = await #expect(
        processExitsWith: .failure, observing: [\.standardErrorContent]
      ) {
        _ = ArrayOfGroups(suite: Defaults.MemorySuite())
      }
      #expect(try text(of: array).contains("editors of ArrayOfGroups can't be a group"))
    }

    @Test("Missing names trap, and say which flag to leave out")
    func nameless() async throws {
      let result = await #expect(
        processExitsWith: .failure, observing: [\.standardErrorContent]
      ) {
        _ = Nameless(suite: Defaults.MemorySuite())
      }
      #expect(try text(of: result).contains("without -disable-reflection-names"))
    }

    @Test("Missing metadata traps, and says which flag to leave out")
    func opaque() async throws {
      let result = await #expect(
        processExitsWith: .failure, observing: [\.standardErrorContent]
      ) {
        _ = Opaque(suite: Defaults.MemorySuite())
      }
      #expect(try text(of: result).contains("without -disable-reflection-metadata"))
    }

    private func text(of result: ExitTest.Result?) throws -> String {
      String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
    }
  }
#endif
