import Defaults
import Foundation
import TestSupport
import Testing

private struct Renamed: Defaults.Schema {
  struct Editor: Defaults.Schema {
    @Stored(.renamed(from: "fontSize")) var size = 12
  }

  @Stored(.renamed(from: "soundVolume", "loudness")) var volume = 5
  @Stored(name: "display-name", .renamed(from: "name")) var title = "x"
  @Stored(.renamed(from: "nick")) var nickname: String?
  @Stored(coding: .iso8601, .renamed(from: "end")) var expiry: Date?
  @Stored(coding: .text, .renamed(from: "pages")) var pageCount = 1
  @Stored(.computed, .renamed(from: "began"))
  var start = Date(timeIntervalSinceReferenceDate: 1)
  var editor = Editor()
}

private struct Moved: Defaults.Schema {
  struct Editor: Defaults.Schema {
    struct Font: Defaults.Schema {
      @Stored(.renamed(from: "points", ".fontSize")) var size = 12
      @Stored(.renamed(from: ".editor.fontName")) var name = ""
    }

    @Stored(.renamed(from: ".wraps")) var wraps = false
    @Stored(.renamed(from: ".")) var odd = 0
    var font = Font()
  }

  @Stored(.renamed(from: ".soundVolume")) var volume = 5
  var editor = Editor()
}

private struct Installation: Defaults.Schema {
  @Stored(.generatedOnce) var id = UUID()
  @Stored(name: "made", coding: .timeInterval, .generatedOnce)
  var date = Date(timeIntervalSinceReferenceDate: 0.5)
  @Stored(.renamed(from: "seats"), .generatedOnce) var places = 3
}

private struct Shared: Defaults.Schema {
  @Stored(.in(0...11)) var volume = 5
  @Stored(name: "volume", .in(0...11)) var loudness = 6
}

@Suite("Declarations of stored properties")
struct StoredDeclarationTests {
  @Test("An entry under a previous name is read and moves when the property is set")
  func previousNames() {
    let end = Date(timeIntervalSince1970: 0)
    let suite = Defaults.MemorySuite([
      "my.loudness": 7, "my.name": "y", "my.nick": "Bo", "my.end": "1970-01-01T00:00:00Z",
      "my.pages": "9", "my.began": .date(end), "my.editor.fontSize": 14, "soundVolume": 1,
    ])
    let settings = Renamed(suite: suite, namePrefix: "my.")
    #expect((settings.volume, settings.title, settings.nickname) == (7, "y", "Bo"))
    #expect((settings.expiry, settings.pageCount, settings.start) == (end, 9, end))
    #expect(settings.editor.size == 14)
    settings.volume += 1
    settings.title = "z"
    settings.nickname = nil
    settings.expiry = nil
    settings.pageCount = 10
    settings.start = end
    settings.editor.size = 14
    #expect(
      suite.entries == [
        "my.volume": 8, "my.display-name": "z", "my.pageCount": "10", "my.start": .date(end),
        "my.editor.size": 14, "soundVolume": 1,
      ])
  }

  @Test("A setting that moved into a group is read under its flat name", arguments: ["", "my."])
  func movedIntoGroup(prefix: String) {
    let suite = Defaults.MemorySuite([
      prefix + "fontSize": 14, prefix + "editor.fontName": "Mono", prefix + "wraps": true,
      prefix + "soundVolume": 7, prefix + "editor..": 1, "other": 1,
    ])
    let settings = Moved(suite: suite, namePrefix: prefix)
    #expect((settings.editor.font.size, settings.editor.font.name) == (14, "Mono"))
    #expect((settings.editor.wraps, settings.editor.odd, settings.volume) == (true, 1, 7))
    settings.editor.font.size += 0
    settings.editor.font.name += ""
    settings.editor.wraps = true
    settings.editor.odd += 0
    settings.volume += 0
    #expect(
      suite.entries == [
        prefix + "editor.font.size": 14, prefix + "editor.font.name": "Mono",
        prefix + "editor.wraps": true, prefix + "editor.odd": 1, prefix + "volume": 7, "other": 1,
      ])
  }

  @Test("An initial value is stored at first use and shared by all instances")
  func initialValues() {
    let suite = Defaults.MemorySuite(["seats": 4])
    let settings = Installation(suite: suite)
    #expect(suite.entries == ["seats": 4])
    let id = settings.id
    #expect((settings.id, Installation(suite: suite).id) == (id, id))
    #expect(suite.string(forKey: "id") == id.uuidString)
    #expect(settings.date.timeIntervalSinceReferenceDate == 0.5)
    #expect(suite.double(forKey: "made") != 0)
    #expect(settings.places == 4)
    settings.$id.reset()
    #expect(settings.id != id)
  }

  @Test("Two properties of one name, type and rules are one setting")
  func oneEntry() throws {
    let issues = Log<Defaults.Issue>()
    let settings = Shared(suite: Defaults.MemorySuite { issues.append($0) })
    #expect((settings.volume, settings.loudness) == (5, 6))
    settings.volume = 7
    #expect(settings.loudness == 7)
    #expect(settings.keys.map(\.name) == ["volume"])
    #expect(settings.storedProperties.map(\.property) == ["volume", "loudness"])
    settings.resetAll()
    #expect(settings.volume == 5)
    #expect(issues.count == 0)
  }

  @Test("Traits decide whether a default is evaluated once, at each use, or before it is stored")
  func evaluation() {
    struct Clock: Defaults.Schema {
      static let ticks = Log<Void>()
      static func tick() -> Int {
        ticks.append(())
        return ticks.count
      }
      @Stored var once = Clock.tick()
      @Stored(.computed) var computed = Clock.tick()
      @Stored(.generatedOnce) var generated = Clock.tick()
    }
    let suite = Defaults.MemorySuite()
    let clock = Clock(suite: suite)
    #expect((clock.once, clock.once) == (1, 1))
    #expect((clock.computed, clock.computed) == (2, 3))
    #expect((clock.generated, clock.generated) == (4, 4))
    #expect(suite.entries == ["generated": 4])
    clock.$generated.reset()
    #expect(clock.generated == 5)
  }
}
