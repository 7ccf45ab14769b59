#if canImport(Darwin)
  import Dispatch
  import Foundation

  /// Reports events in folders with file-system dispatch sources: one on the folder for added and
  /// removed names, and one on each requested file for appended bytes.
  ///
  /// Never run so far, since it is for Apple platforms and the tests run on Linux.
  package final class FolderWatcher: Sendable {
    package final class Watch: Sendable {
      private struct State {
        var sources: [any DispatchSourceFileSystemObject] = []
        /// The version of the folder that the sources watch.
        var version: FileVersion?
        var problem: POSIXErrorCode?
      }

      /// The seconds between comparisons of the path with the watched folder.
      private static let round = 10.0
      private static let pollInterval = 0.5

      package let folder: String
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

      /// The reason why the folder isn't watched; nil if it is watched.
      package var problem: POSIXErrorCode? { state.withLock { $0.problem } }

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

      /// Opens the folder and its files again, since other files may have their names.
      private func renew() {
        var new: [any DispatchSourceFileSystemObject] = []
        var failure: POSIXErrorCode?
        do throws(Errno) {
          new.append(try source(nil))
        } catch {
          failure = error.code
        }
        for name in names {
          // A missing file can't be opened. The folder's source reports its creation.
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

      /// Calls the handler, and again after a pause if it asks for that.
      private func call(_ name: String, _ event: Event) {
        guard handler(name, event) == .postponed else { return }
        queue.asyncAfter(deadline: .now() + 0.001) { [weak self] in self?.call(name, event) }
      }

      /// Returns the source of a file in the folder, or of the folder itself.
      private func source(
        _ name: String?
      ) throws(Errno) -> any DispatchSourceFileSystemObject {
        let path = name.map { folder + "/" + $0 } ?? folder
        let descriptor = try SystemCall.open { open(path, O_EVTONLY | O_CLOEXEC) }
        let source = DispatchSource.makeFileSystemObjectSource(
          fileDescriptor: descriptor, eventMask: [.write, .extend, .delete, .rename],
          queue: queue)
        // The system doesn't report when a file that is written in place is complete. So it is read
        // a little later, like a removed file.
        let event = name.map { $0.hasSuffix(".journal") ? Event.written : .gone } ?? .unknown
        source.setEventHandler { [weak self] in
          guard let self else { return }
          if name == nil { self.renew() }
          self.call(name ?? "", event)
        }
        source.setCancelHandler { close(descriptor) }
        return source
      }
    }

    package static let shared = FolderWatcher()

    package func watch(
      _ folder: String, names: Set<String>, _ handler: @escaping Handler
    ) -> Watch {
      Watch(folder, names, handler)
    }
  }
#endif
