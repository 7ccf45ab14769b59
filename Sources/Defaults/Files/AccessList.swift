/// The access list of a file on Linux (`acl(5)`): the permissions of single users and groups, in
/// addition to the permissions of the owner, the owning group and all others.
///
/// In a file with a list, the group bits of the mode are the list's mask. It limits all entries
/// except the entries of the owner and of all others.
struct AccessList: Equatable, Sendable {
  /// The extended attribute that holds the list.
  static let attribute = "system.posix_acl_access"

  /// The subject of an entry, with the values of `include/uapi/linux/posix_acl.h`.
  enum Subject: UInt16, Sendable {
    case owner = 0x01
    case user = 0x02
    case owningGroup = 0x04
    case group = 0x08
    case mask = 0x10
    case others = 0x20
  }

  struct Entry: Equatable, Sendable {
    let subject: Subject
    /// 4 for reading, 2 for writing, 1 for executing.
    var rights: UInt16
    /// The user or group; unused for the other subjects.
    var id = UInt32.max
  }

  /// In the order of their subjects, which the system requires.
  private(set) var entries: [Entry]

  init(_ entries: [Entry]) { self.entries = entries }

  // MARK: - Bytes

  private static let version: UInt32 = 2

  /// Creates a list from the attribute's bytes; nil if they have another version.
  init?(_ bytes: [UInt8]) {
    func number<Number: FixedWidthInteger>(at offset: Int, _ type: Number.Type) -> Number {
      bytes[offset..<offset + MemoryLayout<Number>.size].reversed().reduce(0) {
        $0 << 8 | Number($1)
      }
    }
    guard bytes.count >= 4, bytes.count % 8 == 4, number(at: 0, UInt32.self) == Self.version else {
      return nil
    }
    entries = []
    for offset in stride(from: 4, to: bytes.count, by: 8) {
      guard let subject = Subject(rawValue: number(at: offset, UInt16.self)) else { return nil }
      entries.append(
        Entry(
          subject: subject, rights: number(at: offset + 2, UInt16.self) & 7,
          id: number(at: offset + 4, UInt32.self)))
    }
  }

  /// The attribute's bytes.
  var bytes: [UInt8] {
    func bytes(_ number: some FixedWidthInteger) -> [UInt8] {
      withUnsafeBytes(of: number.littleEndian) { Array($0) }
    }
    return entries.reduce(into: bytes(Self.version)) {
      $0 += bytes($1.subject.rawValue) + bytes($1.rights) + bytes($1.id)
    }
  }

  // MARK: - Rights

  /// Returns the permissions of an entry after applying the mask.
  private func effective(_ entry: Entry) -> UInt16 {
    switch entry.subject {
    case .owner, .others, .mask: entry.rights
    case .user, .owningGroup, .group: entry.rights & rights(of: .mask, else: 7)
    }
  }

  private func rights(of subject: Subject, else missing: UInt16 = 0) -> UInt16 {
    entries.first { $0.subject == subject }.map(effective) ?? missing
  }

  /// Returns whether an entry for this user, other than the owner's, permits writing.
  func allowsWriting(user: UInt32) -> Bool {
    entries.contains { $0.subject == .user && $0.id == user && effective($0) & 2 != 0 }
  }

  /// Returns whether an entry for this group permits writing, in a file of the owning group.
  func allowsWriting(group: UInt32, owningGroup: UInt32) -> Bool {
    entries.contains { entry in
      switch entry.subject {
      case .owningGroup: group == owningGroup && effective(entry) & 2 != 0
      case .group: group == entry.id && effective(entry) & 2 != 0
      case .owner, .user, .mask, .others: false
      }
    }
  }

  /// The permission bits for a file that can't have the list. They permit nothing that the list
  /// denies.
  ///
  /// The group gets the permissions of its own entry, not of the mask. If an entry denies a
  /// permission to a user or group, the owning group and all others don't get it either, since they
  /// may include the user.
  var mode: UInt32 {
    func limit(by subject: Subject) -> UInt16 {
      entries.reduce(7) { $1.subject == subject ? $0 & effective($1) : $0 }
    }
    let group = rights(of: .owningGroup) & limit(by: .user)
    let others = rights(of: .others) & limit(by: .user) & limit(by: .group)
    return UInt32(rights(of: .owner) << 6 | group << 3 | others)
  }

  // MARK: - Changing the list

  /// The list that permits reading and writing to the owner and to all subjects that may write by
  /// this list, and nothing to others.
  var ofWriters: Self {
    var list = Self(
      entries.map { entry in
        let isWriter = entry.subject == .owner || effective(entry) & 2 != 0
        return Entry(subject: entry.subject, rights: isWriter ? 6 : 0, id: entry.id)
      })
    list.fitMask()
    return list
  }

  /// Adds an entry with the owner's permissions for a user, when a file gets another owner.
  mutating func addOwner(as user: UInt32) { add(rights(of: .owner), to: .user, user) }

  /// Adds an entry with the owning group's permissions for a group, when a file gets another owning
  /// group. The new owning group gets the permissions of all others.
  mutating func addOwningGroup(as group: UInt32) {
    add(rights(of: .owningGroup), to: .group, group)
    let rights = rights(of: .others)
    for index in entries.indices where entries[index].subject == .owningGroup {
      entries[index].rights = rights
    }
    fitMask()
  }

  private mutating func add(_ rights: UInt16, to subject: Subject, _ id: UInt32) {
    // Apply the mask first, since a wider mask must not extend the other entries.
    for index in entries.indices { entries[index].rights = effective(entries[index]) }
    if let index = entries.firstIndex(where: { $0.subject == subject && $0.id == id }) {
      entries[index].rights |= rights
    } else {
      let end = entries.firstIndex { $0.subject.rawValue > subject.rawValue } ?? entries.endIndex
      entries.insert(Entry(subject: subject, rights: rights, id: id), at: end)
    }
    fitMask()
  }

  /// Sets the mask to the union of the entries that it limits.
  private mutating func fitMask() {
    let needed = entries.reduce(0 as UInt16) { rights, entry in
      switch entry.subject {
      case .user, .owningGroup, .group: rights | entry.rights
      case .owner, .mask, .others: rights
      }
    }
    if let index = entries.firstIndex(where: { $0.subject == .mask }) {
      entries[index].rights = needed
    } else if let index = entries.firstIndex(where: { $0.subject == .others }) {
      // A list with entries for single users or groups must have a mask.
      entries.insert(Entry(subject: .mask, rights: needed), at: index)
    }
  }
}
