/// The properties with `@Stored` of a schema, found by reflection: a microsecond each.
struct SchemaReflection {
  struct Property {
    let box: AnyStoredBox
    /// The property's name, behind those of the groups it is in.
    let path: String
    /// What comes before the name of the setting for the groups it is in.
    let prefix: String
    /// The name of the setting in its group.
    let ownName: String

    /// The name of the setting, without the prefix of the schema.
    var name: String { prefix + ownName }
  }

  private(set) var properties: [Property] = []

  /// Reflects a schema. Traps, with what to do about it, if there are no names, or one stands
  /// twice.
  init(of schema: Any) {
    add(Mirror(reflecting: schema), path: "", prefix: "")
    var paths: [String: String] = [:]
    for property in properties {
      guard let other = paths.updateValue(property.path, forKey: property.name) else { continue }
      fatalError(
        """
        two properties of \(type(of: schema)) have the name \(property.name): \(other) and \
        \(property.path); give one of them another by @Stored("name")
        """)
    }
  }

  /// Says where the settings are: in a suite, by their names behind a prefix.
  func bind(to suite: any Defaults.Suite, behind prefix: String) {
    for property in properties {
      property.box.bind(
        to: StoredPlace(
          suite: suite, prefix: prefix + property.prefix, ownName: property.ownName))
    }
  }

  private mutating func add(_ mirror: Mirror, path: String, prefix: String) {
    if let inherited = mirror.superclassMirror { add(inherited, path: path, prefix: prefix) }
    for child in mirror.children {
      let type = Swift.type(of: child.value)
      // By its type: a cast alone would also look into an optional, which may be nil elsewhere.
      if type is any Defaults.AnyStored.Type, let stored = child.value as? any Defaults.AnyStored {
        let box = stored.anyBox
        let label = Self.label(of: child, in: mirror)
        // The compiler puts a line before the name of what a property wrapper is kept in.
        let property = String(label.hasPrefix("_") ? label.dropFirst() : label[...])
        properties.append(
          Property(
            box: box, path: path + property, prefix: prefix, ownName: box.givenName ?? property))
      } else if let group = type as? any Defaults.Schema.Type {
        let label = Self.label(of: child, in: mirror)
        let own = group.namePrefix
        add(
          Mirror(reflecting: child.value), path: path + label + ".",
          prefix: prefix + (own.isEmpty ? label + "." : own))
      } else if let container = type as? any MightHoldGroups.Type, container.holdsGroups {
        fatalError(
          """
          \(path)\(Self.label(of: child, in: mirror)) of \(mirror.subjectType) can't be a group: \
          whether it is there, and how often, mustn't change, so it is neither optional nor an array
          """)
      }
    }
  }

  private static func label(of child: Mirror.Child, in mirror: Mirror) -> String {
    guard let label = child.label, !label.isEmpty else {
      fatalError(
        """
        the properties of \(mirror.subjectType) have no names, from which those of the settings \
        come: build the module without -disable-reflection-names
        """)
    }
    return label
  }
}

/// A type whose values may have groups in them that a schema can't have.
private protocol MightHoldGroups {
  static var holdsGroups: Bool { get }
}

extension Optional: MightHoldGroups {
  fileprivate static var holdsGroups: Bool { Wrapped.self is any Defaults.Schema.Type }
}

extension Array: MightHoldGroups {
  fileprivate static var holdsGroups: Bool { Element.self is any Defaults.Schema.Type }
}
