/// The offsets of the names in a file: names of entries, and names in nested dictionaries by their
/// dotted path, unless an entry has that name.
struct NameOffsets {
  private(set) var all: [String: Int] = [:]
  /// The path of the current dictionary, with a final dot; nil in an array. Long paths aren't
  /// recorded: they are copied into each name, so a hostile file could fill the memory with them.
  var path: String? = ""

  private static let longest = 100

  /// Begins the value of a name or, with nil, the elements of an array. Restore `path` at its end.
  mutating func enter(_ name: String?, at offset: Int) {
    guard let outer = path, let name else { return path = nil }
    let full = outer + name
    if outer.isEmpty || all[full] == nil { all[full] = offset }
    path = full.utf8.count < Self.longest ? full + "." : nil
  }
}
