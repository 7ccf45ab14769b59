import Defaults
import Foundation
import Testing

private struct Renamed: Defaults.Schema {
  struct Editor: Defaults.Schema {
    @Stored(previousNames: ["fontSize"]) var size = 12
  }

  @Stored(previousNames: ["soundVolume", "loudness"]) var volume = 5
  @Stored("display-name", previousNames: ["name"]) var title = "x"
  @Stored(previousNames: ["nick"]) var nickname: String?
  @Stored(coding: .iso8601, previousNames: ["end"]) var expiry: Date?
  @Stored(coding: .text, previousNames: ["pages"]) var pageCount = 1
  @Stored(previousNames: ["began"], default: { Date(timeIntervalSinceReferenceDate: 1) })
  var start: Date
  var editor = Editor()
}

private struct Moved: Defaults.Schema {
  struct Editor: Defaults.Schema {
    struct Font: Defaults.Schema {
      @Stored(previousNames: ["points", ".fontSize"]) var size = 12
      @Stored(previousNames: [".editor.fontName"]) var name = ""
    }

    @Stored(previousNames: [".wraps"]) var wraps = false
    @Stored(previousNames: ["."]) var odd = 0
    var font = Font()
  }

  @Stored(previousNames: [".soundVolume"]) var volume = 5
  var editor = Editor()
}

private struct Installation: Defaults.Schema {
  @Stored(initial: UUID()) var id: UUID
  @Stored("made", initial: Date(timeIntervalSinceReferenceDate: 0.5), coding: .timeInterval)
  var date: Date
  @Stored(initial: 3, previousNames: ["seats"]) var places: Int
}

@Suite("Declarations of stored properties")
struct StoredDeclarationTests {
  @Test("An entry under a previous name counts, and moves when the property is set")
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

  @Test("A setting that moved into a group finds its flat name by a dot", arguments: ["", "my."])
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

  @Test("An initial value is stored at first use, and is that of all instances")
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
}
