#if canImport(Darwin)
  import Dispatch
  import Foundation

  /// Reports what happens in folders, by file-system dispatch sources: one on the folder, for
  /// names that come and go, and one on each file that is asked for, for what is appended to it.
  ///
  /// Not run so far: it is written for Apple platforms, and tests run on Linux.
  final class FolderWatcher: Sendable {
    enum Event: Equatable, Sendable {
      case written, complete, gone, unknown, unwatched(POSIXErrorCode), watched
    }

    typealias Handler = @Sendable (_ name: String, Event) -> Bool

    final class Watch: Sendable {
      private struct State {
        var sources: [any DispatchSourceFileSystemObject] = []
        /// The folder that the sources are of.
        var version: FileVersion?
        var problem: POSIXErrorCode?
      }

      /// The seconds between two comparisons of the path with the folder that is watched.
      private static let round = 10.0
      private static let pollInterval = 0.5

      let folder: String
      private let state = Lock(State())
      private let names: Set<String>
      private let handler: Handler
      private let queue = DispatchQueue(label: "FolderWatcher", qos: .userInitiated)

      fileprivate init(_ folder: String, _ names: Set<String>, _ handler: @escaping Handler) {
        self.folder = folder
        self.names = names
        self.handler = handler
        renew()
        schedule()
      }

      deinit { for source in state.withLock({ $0.sources }) { source.cancel() } }

      /// Why the folder isn't watched; nil if it is.
      var problem: POSIXErrorCode? { state.withLock { $0.problem } }

      /// Compares the path soon with the folder that is watched, since it may lead to another one.
      func verify() { queue.async { [weak self] in self?.compare() } }

      private func schedule() {
        let interval = problem == nil ? Self.round : Self.pollInterval
        queue.asyncAfter(deadline: .now() + interval) { [weak self] in
          self?.compare()
          self?.schedule()
        }
      }

      private func compare() {
        let version = LocalFileSystem().statusIfVisible(of: folder)?.version
        let (known, problem) = state.withLock { ($0.version, $0.problem) }
        if problem == nil, let version, known?.isSameFile(as: version) == true { return }
        renew()
        _ = handler("", problem != nil && self.problem == nil ? .watched : .unknown)
      }

      /// Opens the folder and the files in it again, since other ones may have their names.
      private func renew() {
        var new: [any DispatchSourceFileSystemObject] = []
        var failure: POSIXErrorCode?
        do throws(POSIXError) {
          new.append(try source(nil))
        } catch {
          failure = error.code
        }
        for name in names {
          // One that isn't there can't be opened; that it comes changes the folder.
          if let source = try? source(name) { new.append(source) }
        }
        let version = LocalFileSystem().statusIfVisible(of: folder)?.version
        let (old, isNew) = state.withLock { state in
          let old = state.sources
          let isNew = failure != nil && state.problem == nil
          state = State(sources: new, version: version, problem: failure)
          return (old, isNew)
        }
        for source in old { source.cancel() }
        for source in new { source.activate() }
        if let failure, isNew { _ = handler("", .unwatched(failure)) }
      }

      /// The source of a file in the folder, or of the folder itself.
      private func source(
        _ name: String?
      ) throws(POSIXError) -> any DispatchSourceFileSystemObject {
        let path = name.map { folder + "/" + $0 } ?? folder
        let descriptor = try SystemCall.open { open(path, O_EVTONLY | O_CLOEXEC) }
        let source = DispatchSource.makeFileSystemObjectSource(
          fileDescriptor: descriptor, eventMask: [.write, .extend, .delete, .rename],
          queue: queue)
        // The system doesn't say when a file that is written in place is complete: such a file is
        // read a little later, as one that is gone is.
        let event = name.map { $0.hasSuffix(".journal") ? Event.written : .gone } ?? .unknown
        source.setEventHandler { [weak self] in
          guard let self else { return }
          if name == nil { self.renew() }
          _ = self.handler(name ?? "", event)
        }
        source.setCancelHandler { close(descriptor) }
        return source
      }
    }

    static let shared = FolderWatcher()

    func watch(
      _ folder: String, names: Set<String>, _ handler: @escaping Handler
    ) -> Watch {
      Watch(folder, names, handler)
    }
  }
#endif
