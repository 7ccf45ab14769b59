import Defaults
import TestSupport
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

/// A schema as seen from a module without reflection names.
private struct Nameless: Defaults.Schema, CustomReflectable {
  @Stored var volume = 5

  var customMirror: Mirror { Mirror(self, unlabeledChildren: [_volume]) }
}

/// A schema as seen from a module without reflection metadata.
private struct Opaque: Defaults.Schema, CustomReflectable {
  @Stored var volume = 5

  var customMirror: Mirror { Mirror(self, children: []) }
}

/// Has one group of settings for all its values.
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
  @Suite("Misuse of schemas", .prompt)
  struct SchemaMisuseTests {
    @Test("A schema without a suite traps with a message that says how to make one")
    func unbound() async throws {
      let result = await #expect(
        processExitsWith: .failure, observing: [\.standardErrorContent]
      ) {
        _ = Preferences().volume
      }
      #expect(try text(of: result).contains("write `Preferences.standard`"))
    }

    @Test("Two properties of one name with different types or rules trap with both names")
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

    @Test("Using the properties of one schema in another schema traps with their name")
    func reused() async throws {
      let result = await #expect(
        processExitsWith: .failure, observing: [\.standardErrorContent]
      ) {
        _ = Reusing(suite: Defaults.MemorySuite())
        _ = Reusing(suite: Defaults.MemorySuite())
      }
      #expect(try text(of: result).contains("can belong to one schema only: preferences.volume"))
    }

    @Test("An optional group or an array of groups in a schema traps with its name")
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

    @Test("A schema without reflection names traps and names the compiler flag")
    func nameless() async throws {
      let result = await #expect(
        processExitsWith: .failure, observing: [\.standardErrorContent]
      ) {
        _ = Nameless(suite: Defaults.MemorySuite())
      }
      #expect(try text(of: result).contains("without -disable-reflection-names"))
    }

    @Test("A schema without reflection metadata traps and names the compiler flag")
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
