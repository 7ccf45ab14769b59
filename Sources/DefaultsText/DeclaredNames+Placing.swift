import Defaults

extension Defaults.DeclaredNames {
  /// Returns the entries of a file in which settings have new values: each in the place where the
  /// file has it, and a new one in the object of its group if the file has that object.
  ///
  /// - Parameters:
  ///   - settings: The new values, by the full names.
  ///   - entries: The entries of the file, which may be nested.
  /// - Throws: If reading the result doesn't give the settings.
  func placed(
    _ settings: [String: PropertyListValue], in entries: [String: PropertyListValue]
  ) throws(Defaults.ConversionError) -> [String: PropertyListValue] {
    var placed = entries
    let old = flattened(entries).entries
    for name in old.keys where settings[name] == nil { remove(name, from: &placed, under: "") }
    for (name, value) in settings.sorted(by: { $0.key < $1.key }) where old[name] != value {
      let path = place(of: name, in: placed, under: "") ?? newPlace(of: name, in: placed, under: "")
      Self.insert(value, at: path[...], in: &placed)
    }
    guard flattened(placed).entries == settings else {
      throw Defaults.ConversionError("the objects of the file have no place for the settings")
    }
    return placed
  }

  /// Returns the names that lead to the entry of a setting; nil if the file doesn't have it.
  private func place(
    of name: String, in entries: [String: PropertyListValue], under path: String
  ) -> [String]? {
    if entries[name] != nil { return [name] }
    return objects(for: name, in: entries, under: path).lazy.compactMap { object in
      place(of: object.member, in: object.members, under: path + object.group + ".").map {
        [object.group] + $0
      }
    }.first
  }

  private func newPlace(
    of name: String, in entries: [String: PropertyListValue], under path: String
  ) -> [String] {
    guard let object = objects(for: name, in: entries, under: path).first else { return [name] }
    return [object.group]
      + newPlace(of: object.member, in: object.members, under: path + object.group + ".")
  }

  /// Removes a setting in all of its places.
  private func remove(
    _ name: String, from entries: inout [String: PropertyListValue], under path: String
  ) {
    entries[name] = nil
    for (group, member) in Self.splits(of: name) {
      let group = String(group)
      guard isGroup(path + group), case .dictionary(var members)? = entries[group] else { continue }
      // A second reference would copy the members for each removed name.
      entries[group] = nil
      remove(String(member), from: &members, under: path + group + ".")
      entries[group] = .dictionary(members)
    }
  }

  /// Returns the objects of groups that may have a setting, the longest group first.
  private func objects(
    for name: String, in entries: [String: PropertyListValue], under path: String
  ) -> [(group: String, member: String, members: [String: PropertyListValue])] {
    Self.splits(of: name).compactMap { group, member in
      let group = String(group)
      guard isGroup(path + group), case .dictionary(let members)? = entries[group] else {
        return nil
      }
      return (group, String(member), members)
    }
  }
}
