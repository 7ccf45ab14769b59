import Defaults
import Foundation

/// The answer to a watch: one JSON object per line, until it is canceled.
final class WatchStream: Sendable {
  /// A line may contain all values of a transaction, each as large as a request.
  private static let longestLine = 256 << 20

  private let stream: any TransportStream

  /// Starts to watch. The closures are called on one thread at a time. `onEnd` is called when the
  /// stream has ended, perhaps more than once.
  init(
    _ request: HTTPRequest, by transport: any Transport,
    onLine: @escaping @Sendable (WatchLine) -> Void,
    onEnd: @escaping @Sendable (GatewayError) -> Void
  ) {
    /// The incomplete last line.
    let unread = Lock(Data())
    let name = Gateway.name(request.endpoint)
    stream = transport.stream(
      request,
      onData: { data in
        let lines = unread.withLock { unread in
          unread.append(data)
          // Search a long line only once.
          guard data.contains(UInt8(ascii: "\n")),
            let end = unread.lastIndex(of: UInt8(ascii: "\n"))
          else { return [Data]() }
          let whole = unread[..<end]
          unread = Data(unread[unread.index(after: end)...])
          return whole.split(separator: UInt8(ascii: "\n")).map { Data($0) }
        }
        for line in lines {
          do {
            onLine(try JSONDecoder().decode(WatchLine.self, from: line))
          } catch {
            onEnd(GatewayError(.open, "\(name) sent an invalid line in a watch: \(error)"))
          }
        }
        if unread.withLock({ $0.count }) > Self.longestLine {
          onEnd(GatewayError(.open, "\(name) sent a line without an end"))
        }
      }, onEnd: onEnd)
  }

  func cancel() { stream.cancel() }
}
