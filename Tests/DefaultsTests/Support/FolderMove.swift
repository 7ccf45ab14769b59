import Foundation
import TestSupport
import Testing

@testable import Defaults

/// The ways to put another folder in the place of one above a file's folder.
enum FolderMove: String, CaseIterable, CustomTestStringConvertible, Sendable {
  /// The old folder is renamed, and then the new one gets its name.
  case renamed
  /// The two folders exchange their names in one step.
  case exchanged
  /// The old folder is deleted with its content.
  case deleted
  /// A symbolic link takes the place of the old folder.
  case linked
  /// The folder is a symbolic link from the start and is replaced in one step.
  case relinked

  var testDescription: String { rawValue }

  /// Creates `old`, and `new` at the place of its replacement.
  func prepare(_ old: String, _ new: String, in folder: TemporaryFolder) throws {
    try folder.makeFolder(new)
    guard self == .relinked else { return try folder.makeFolder(old) }
    try folder.makeFolder(old + ".first")
    try folder.link(old, to: old + ".first")
  }

  /// Puts the folder `new` in the place of the folder `old`.
  func run(_ old: String, _ new: String, in folder: TemporaryFolder) throws {
    switch self {
    case .renamed:
      try move(folder[old], folder[old + ".old"])
      try move(folder[new], folder[old])
    case .exchanged: try LocalFileSystem().exchange(folder[old], folder[new])
    case .deleted:
      try FileManager.default.removeItem(atPath: folder[old])
      try move(folder[new], folder[old])
    case .linked:
      try move(folder[old], folder[old + ".old"])
      try folder.link(old, to: new)
    case .relinked:
      try folder.link(old + ".link", to: new)
      try move(folder[old + ".link"], folder[old])
    }
  }

  private func move(_ path: String, _ newPath: String) throws {
    guard rename(path, newPath) == 0 else { throw Errno(number: errno) }
  }
}
