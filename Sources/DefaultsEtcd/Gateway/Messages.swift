import Foundation

// The messages of etcd's API, version 3, in the form of its JSON gateway: bytes in Base64, 64-bit
// numbers as text, and empty or zero fields left out. The names are those of etcd's `rpc.proto`,
// which documents all fields.

/// A 64-bit number, which is text in JSON.
struct Int64Text: Codable, Sendable, Hashable {
  let value: Int64

  init(_ value: Int64) { self.value = value }

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let text = try container.decode(String.self)
    guard let value = Int64(text) ?? UInt64(text).map({ Int64(bitPattern: $0) }) else {
      throw DecodingError.dataCorruptedError(
        in: container, debugDescription: "\(text) isn't a 64-bit number")
    }
    self.value = value
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(String(value))
  }
}

/// The header of every answer. An answer without it isn't etcd's.
struct ResponseHeader: Decodable, Sendable {
  /// Identifies the cluster. A new cluster at the same addresses has the same id.
  let cluster_id: String
  /// The revision of the whole store at the time of the answer.
  let revision: Int64Text
}

struct KeyValue: Decodable, Sendable {
  let key: Data
  let value: Data?
  /// The revision of its last change.
  let mod_revision: Int64Text?
  /// The number of changes since its creation: 1 for a new key.
  let version: Int64Text?

  var modRevision: Int64 { mod_revision?.value ?? 0 }
}

// MARK: - Ranges

struct RangeRequest: Encodable, Sendable {
  var key: Data
  var range_end: Data?
  var limit: Int64Text?
  var revision: Int64Text?
  var sort_order: String?
  var sort_target: String?
  var keys_only: Bool?
  var count_only: Bool?
}

extension RangeRequest {
  /// A request for only the revision of the cluster, which is in the answer's header. It reads a
  /// key that no entry has.
  static func revision(in space: KeySpace) -> Self {
    Self(key: space.range.start, count_only: true)
  }

  /// A request for the entry that was changed last, and the number of entries. The member reads all
  /// entries for it.
  static func latest(of space: KeySpace) -> Self {
    let range = space.range
    return Self(
      key: range.start, range_end: range.end, limit: Int64Text(1), sort_order: "DESCEND",
      sort_target: "MOD", keys_only: true)
  }
}

struct RangeResponse: Decodable, Sendable {
  let header: ResponseHeader
  let kvs: [KeyValue]?
  let more: Bool?
  let count: Int64Text?
}

// MARK: - Transactions

struct TxnRequest: Encodable, Sendable {
  struct Compare: Encodable, Sendable {
    var key: Data
    var range_end: Data?
    var target = "MOD"
    var result = "EQUAL"
    var mod_revision: Int64Text
  }

  struct Put: Encodable, Sendable {
    var key: Data
    var value: Data
    var lease: Int64Text?
  }

  struct Delete: Encodable, Sendable { var key: Data }

  struct Operation: Encodable, Sendable {
    var request_put: Put?
    var request_delete_range: Delete?
    var request_range: RangeRequest?
  }

  var compare: [Compare] = []
  var success: [Operation] = []
  var failure: [Operation] = []
}

struct TxnResponse: Decodable, Sendable {
  struct Found: Decodable, Sendable { let kvs: [KeyValue]? }

  struct Operation: Decodable, Sendable { let response_range: Found? }

  let header: ResponseHeader
  let succeeded: Bool?
  let responses: [Operation]?
}

// MARK: - Leases

struct LeaseGrantRequest: Encodable, Sendable { var TTL: Int64Text }

struct LeaseGrantResponse: Decodable, Sendable { let ID: Int64Text }

// MARK: - Watches

struct WatchRequest: Encodable, Sendable {
  struct Creation: Encodable, Sendable {
    var key: Data
    var range_end: Data
    var start_revision: Int64Text
  }

  var create_request: Creation
}

/// A line of a watch's stream.
struct WatchLine: Decodable, Sendable {
  struct Event: Decodable, Sendable {
    /// "DELETE", or nil for a put.
    let type: String?
    let kv: KeyValue

    var isDeletion: Bool { type == "DELETE" }
  }

  struct Response: Decodable, Sendable {
    let canceled: Bool?
    let cancel_reason: String?
    let events: [Event]?
  }

  let result: Response?
  let error: GatewayComplaint?
}

// MARK: - Authentication

struct AuthenticateRequest: Encodable, Sendable {
  var name: String
  var password: String
}

struct AuthenticateResponse: Decodable, Sendable { let token: String }

/// The gateway's answer in case of an error.
struct GatewayComplaint: Decodable, Sendable {
  let error: String?
  let message: String?
  /// A gRPC status.
  let code: Int?
  let grpc_code: Int?

  var words: String { message ?? error ?? "no reason given" }
  var status: Int? { code ?? grpc_code }
}
