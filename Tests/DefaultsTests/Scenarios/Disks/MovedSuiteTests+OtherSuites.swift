import Foundation
import TestSupport
import Testing

@testable import Defaults

// When another folder takes the path, with or without the files of the suite.

extension MovedSuiteTests {
  @Test(
    "If another folder takes the path, its settings apply, and only unexported changes are added",
    arguments: [false, true])
  func otherSuite(hasJournal: Bool) throws {
    try store(2, in: "b/suite.plist")
    if !hasJournal { try LocalFileSystem().removeName(folder["b/suite.plist.journal"]) }
    let suite = try twins.open("a/suite.plist")
    for name in ["x", "y"] { suite.set(7, forKey: name) }
    try suite.flush(.snapshot)
    suite.set(8, forKey: "z")
    try suite.withoutBackgroundWork {
      try LocalFileSystem().move(folder["a"], to: folder["old"])
      try LocalFileSystem().move(folder["b"], to: folder["a"])
    }
    try suite.refresh()
    #expect(suite.entries == ["x": 2, "z": 8])
    try suite.flush(.snapshot)
    #expect(try twins.stored("a/suite.plist") == ["x": 2, "z": 8])
    #expect(try twins.stored("old/suite.plist") == ["x": 7, "y": 7, "z": 8])
  }

  @Test("A check writes nothing into a new folder at the path that another program will fill")
  func filledLater() throws {
    try store(2, in: "b/suite.plist")
    let suite = try twins.open("a/suite.plist")
    suite.set(7, forKey: "y")
    try suite.flush(.snapshot)
    let store = try #require(suite.persistence as? FileStore)
    try suite.withoutBackgroundWork {
      try LocalFileSystem().move(folder["a"], to: folder["old"])
      try folder.makeFolder("a")
      store.checkFiles()
      #expect(try folder.names(in: "a").isEmpty)
      for name in try folder.names(in: "b") {
        try LocalFileSystem().move(folder["b/" + name], to: folder["a/" + name])
      }
    }
    try suite.refresh()
    #expect(suite.entries == ["x": 2])
    try suite.flush(.snapshot)
    #expect(try twins.stored("a/suite.plist") == ["x": 2])
  }

  @Test("If two folders change places twice, neither suite gets settings of the other one")
  func exchangedTwice() throws {
    for (value, name) in [(1, "a"), (2, "b")] { try store(value, in: "\(name)/suite.plist") }
    let suite = try twins.open("a/suite.plist")
    for (name, expected) in [("b", 2), ("a", 1)] {
      try suite.withoutBackgroundWork {
        try LocalFileSystem().exchange(folder["a"], folder["b"])
      }
      try suite.refresh()
      #expect(suite.entries == ["x": .integer(Int64(expected))])
      // Newer than everything in the other folder.
      suite.set(9, forKey: name)
      try suite.flush(.snapshot)
      suite.removeObject(forKey: name)
      try suite.flush(.snapshot)
    }
    #expect(try twins.stored("a/suite.plist") == ["x": 1])
    #expect(try twins.stored("b/suite.plist") == ["x": 2])
  }

  @Test("If another process creates a deleted folder again, a running process keeps its settings")
  func createdAgain() throws {
    try store(1, in: "a/suite.plist")
    let suite = try twins.open("a/suite.plist")
    suite.set(2, forKey: "y")
    try suite.flush(.snapshot)
    try suite.withoutBackgroundWork {
      try FileManager.default.removeItem(atPath: folder["a"])
      // So that the new folder doesn't get the old one's number.
      try folder.makeFolder("other")
      try store(3, in: "a/suite.plist")
    }
    try suite.refresh()
    #expect(suite.entries == ["x": 3, "y": 2])
  }

  @Test("If a folder with an earlier journal of the suite comes back, the later changes are kept")
  func returningFolder() throws {
    try store(1, in: "a/suite.plist")
    let suite = try twins.open("a/suite.plist")
    suite.set(2, forKey: "y")
    try suite.flush(.snapshot)
    try LocalFileSystem().move(folder["a"], to: folder["away"])
    suite.set(3, forKey: "x")
    try suite.flush(.snapshot)
    try LocalFileSystem().exchange(folder["a"], folder["away"])
    try suite.refresh()
    #expect(suite.entries == ["x": 3, "y": 2])
    try suite.flush(.snapshot)
    #expect(try twins.stored("a/suite.plist") == ["x": 3, "y": 2])
  }
}
