#if canImport(Darwin)
  import Darwin
  import Dispatch
  import Foundation

  extension Defaults {
    /// Tells what happens in folders, by file-system dispatch sources: one on the folder, for names
    /// that come and go, and one on each file that is asked for, for what is appended to it.
    ///
    /// Not run so far: it is written for Apple platforms, and tests run on Linux.
    final class FolderWatcher: Sendable {
      enum Event: Sendable { case written, complete, gone, unknown }

      typealias Handler = @Sendable (_ name: String, Event) -> Bool

      final class Watch: Sendable {
        private let sources = Lock([any DispatchSourceFileSystemObject]())
        private let folder: String
        private let handler: Handler
        private let queue = DispatchQueue(label: "Defaults.FolderWatcher", qos: .userInitiated)

        fileprivate init(_ folder: String, _ handler: @escaping Handler) throws(POSIXError) {
          self.folder = folder
          self.handler = handler
          try look()
        }

        deinit { for source in sources.withLock({ $0 }) { source.cancel() } }

        /// Opens the folder and the files in it anew, since other ones may have their names.
        private func look() throws(POSIXError) {
          var new = [try source(folder)]
          let names = (try? LocalFileSystem().names(inFolder: folder)) ?? []
          for name in names where name.hasSuffix(".journal") || name.hasSuffix(".plist") {
            if let source = try? source(folder + "/" + name) { new.append(source) }
          }
          let added = new
          let old = sources.withLock { sources in
            defer { sources = added }
            return sources
          }
          for source in old { source.cancel() }
          for source in new { source.activate() }
        }

        private func source(
          _ path: String
        ) throws(POSIXError) -> any DispatchSourceFileSystemObject {
          let descriptor = open(path, O_EVTONLY | O_CLOEXEC)
          guard descriptor >= 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
          let source = DispatchSource.makeFileSystemObjectSource(
            fileDescriptor: descriptor, eventMask: [.write, .extend, .delete, .rename],
            queue: queue)
          let isFolder = path == folder
          source.setEventHandler { [weak self] in
            guard let self else { return }
            if isFolder { try? self.look() }
            _ = self.handler("", isFolder ? .unknown : .written)
          }
          source.setCancelHandler { close(descriptor) }
          return source
        }
      }

      static let shared = FolderWatcher()

      func watch(_ folder: String, _ handler: @escaping Handler) throws(POSIXError) -> Watch {
        try Watch(folder, handler)
      }
    }
  }
#endif
