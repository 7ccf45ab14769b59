#if canImport(Darwin)
  import Dispatch
  import Foundation

  /// Reports what happens in folders, by file-system dispatch sources: one on the folder, for
  /// names that come and go, and one on each file that is asked for, for what is appended to it.
  ///
  /// Not run so far: it is written for Apple platforms, and tests run on Linux.
  final class FolderWatcher: Sendable {
    enum Event: Sendable { case written, complete, gone, unknown }

    typealias Handler = @Sendable (_ name: String, Event) -> Bool

    final class Watch: Sendable {
      private let sources = Lock([any DispatchSourceFileSystemObject]())
      private let folder: String
      private let names: Set<String>
      private let handler: Handler
      private let queue = DispatchQueue(label: "FolderWatcher", qos: .userInitiated)

      fileprivate init(
        _ folder: String, _ names: Set<String>, _ handler: @escaping Handler
      ) throws(POSIXError) {
        self.folder = folder
        self.names = names
        self.handler = handler
        try look()
      }

      deinit { for source in sources.withLock({ $0 }) { source.cancel() } }

      /// Opens the folder and the files in it anew, since other ones may have their names.
      private func look() throws(POSIXError) {
        var new = [try source(nil)]
        for name in names {
          if let source = try? source(name) { new.append(source) }
        }
        for source in sources.exchange(new) { source.cancel() }
        for source in new { source.activate() }
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
          if name == nil { try? self.look() }
          _ = self.handler(name ?? "", event)
        }
        source.setCancelHandler { close(descriptor) }
        return source
      }
    }

    static let shared = FolderWatcher()

    func watch(
      _ folder: String, names: Set<String>, _ handler: @escaping Handler
    ) throws(POSIXError) -> Watch {
      try Watch(folder, names, handler)
    }
  }
#endif
