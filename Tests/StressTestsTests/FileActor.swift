import Foundation
import TestSupport

@testable import Defaults
@testable import StressTests

/// Performs the same operations on files of any file system and reports the results.
final class FileActor {
  enum Action {
    case status(String, followingLinks: Bool)
    case access(String)
    case destination(String)
    case names(String)
    case makeFolder(String)
    case changeMode(String, mode_t)
    case move(String, String)
    case exchange(String, String)
    case addName(String, String)
    case removeName(String)
    case open(String, FileUse, slot: Int)
    case close(slot: Int)
    case use(Use, slot: Int)
  }

  /// The operation on an open file.
  enum Use {
    case status
    case read(Int, at: Int)
    case write([UInt8], at: Int)
    case truncate(Int)
    case synchronize
    case synchronizeContent
    case changeMode(mode_t)
    case tryLock
    case unlock
  }

  private let fileSystem: any FileSystem
  private let root: String
  private var files: [Int: any OpenFile] = [:]

  init(fileSystem: any FileSystem, root: String) {
    self.fileSystem = fileSystem
    self.root = root
  }

  func perform(_ action: Action) -> String {
    do {
      return try result(of: action)
    } catch let error as Errno {
      return "error \(error.code.rawValue)"
    } catch {
      return "\(error)"
    }
  }

  /// All files with contents and numbers of names.
  func tree(_ path: String = "") -> String {
    let names = (try? fileSystem.names(inFolder: root + path)) ?? []
    return names.sorted().map { name in
      let path = path + "/" + name
      let status = perform(.status(path, followingLinks: false))
      let file = FileActor(fileSystem: fileSystem, root: root)
      let content = [.open(path, .read, slot: 0), .use(.read(1_000, at: 0), slot: 0)]
        .map(file.perform)
      let below = status.hasPrefix("folder") ? tree(path) : ""
      return "\(path): \(status) \(content)\n\(below)"
    }.joined()
  }

  private func result(of action: Action) throws -> String {
    switch action {
    case .status(let path, let followingLinks):
      return text(try fileSystem.status(of: root + path, followingLinks: followingLinks))
    case .access(let path): try fileSystem.checkAccess([.read], to: root + path)
    case .destination(let path): return try fileSystem.destination(ofLink: root + path)
    case .names(let path): return "\(try fileSystem.names(inFolder: root + path).sorted())"
    case .makeFolder(let path): try fileSystem.makeFolder(root + path, mode: 0o700)
    case .changeMode(let path, let mode): try fileSystem.changeMode(of: root + path, to: mode)
    case .move(let path, let newPath): try fileSystem.move(root + path, to: root + newPath)
    case .exchange(let path, let otherPath): try fileSystem.exchange(root + path, root + otherPath)
    case .addName(let path, let newPath): try fileSystem.addName(root + path, to: root + newPath)
    case .removeName(let path): try fileSystem.removeName(root + path)
    case .open(let path, let use, let slot):
      // Closed first on both, so that the same inodes are freed.
      files[slot] = nil
      files[slot] = try fileSystem.open(root + path, use)
    case .close(let slot): files[slot] = nil
    case .use(let use, let slot):
      guard let file = files[slot] else { return "none" }
      return try result(of: use, file)
    }
    return "done"
  }

  private func result(of use: Use, _ file: any OpenFile) throws -> String {
    switch use {
    case .status: return text(try file.status())
    case .read(let count, let offset):
      var bytes = [UInt8](repeating: 0, count: count)
      let read = try bytes.withUnsafeMutableBytes { try file.read(into: $0, at: offset) }
      return "\(bytes.prefix(read))"
    case .write(let bytes, let offset):
      return "\(try bytes.withUnsafeBytes { try file.write($0, at: offset) })"
    case .truncate(let size): try file.truncate(to: size)
    case .synchronize: try file.synchronize()
    case .synchronizeContent: try file.synchronizeContent()
    case .changeMode(let mode): try file.changeMode(to: mode)
    case .tryLock: return "\(try file.tryLock())"
    case .unlock: try file.unlock()
    }
    return "done"
  }

  /// The properties that must be equal everywhere; sizes and link counts of folders aren't.
  private func text(_ status: FileStatus) -> String {
    let mode = String(status.mode, radix: 8)
    guard status.kind == .file else { return "\(status.kind) \(mode)" }
    return "\(status.kind) \(mode) \(status.version.size) bytes \(status.names) names"
  }
}

extension FileActor.Action {
  static func random(using random: inout SeededGenerator) -> Self {
    let slot = Int.random(in: 0..<3, using: &random)
    let place = path(&random)
    let mode: mode_t = Bool.random(using: &random) ? 0o600 : 0o640
    return switch Int.random(in: 0..<24, using: &random) {
    case 0: .status(place, followingLinks: true)
    case 1: .status(place, followingLinks: false)
    case 2: .access(place)
    case 3: .destination(place)
    case 4: .names(place)
    case 5: .makeFolder(place)
    case 6: .changeMode(place, 0o700)
    case 7, 8: .move(place, path(&random))
    case 9, 10: .addName(place, path(&random))
    case 11: .removeName(place)
    case 12: .open(place, Bool.random(using: &random) ? .read : .readNoFollow, slot: slot)
    case 13: .open(place, .update, slot: slot)
    case 14, 15: .open(place, .create, slot: slot)
    case 16: .open(place, .folder, slot: slot)
    case 17: .close(slot: slot)
    case 18, 19: .exchange(place, path(&random))
    default: .use(use(mode, &random), slot: slot)
    }
  }

  /// A few paths, so that they collide, including a dangling link, a loop and unusual ones.
  private static func path(_ random: inout SeededGenerator) -> String {
    let names = ["a", "b", "c", "d"]
    let name = names[Int.random(in: 0..<names.count, using: &random)]
    let other = names[Int.random(in: 0..<names.count, using: &random)]
    return switch Int.random(in: 0..<23, using: &random) {
    case 0: "/link"
    case 1: "/link/\(name)"
    case 2: "/loop"
    case 3: "/\(name)/../\(other)"
    case 4: "/missing/\(name)"
    case 5...11: "/\(name)/\(other)"
    default: "/\(name)"
    }
  }

  private static func use(
    _ mode: mode_t, _ random: inout SeededGenerator
  ) -> FileActor.Use {
    let offset = Int.random(in: 0..<12, using: &random)
    let byte = UInt8.random(in: 1...255, using: &random)
    return switch Int.random(in: 0..<10, using: &random) {
    case 0: .status
    case 1, 2: .read(8, at: offset)
    case 3, 4: .write([byte, byte &+ 1, byte &+ 2], at: offset)
    case 5: .truncate(offset)
    case 6: Bool.random(using: &random) ? .synchronize : .synchronizeContent
    case 7: .changeMode(mode)
    case 8: .tryLock
    default: .unlock
    }
  }
}
