/// Where in a struct its boxes are, found once per type: a box is a word that is looked up in it.
///
/// The fields of a struct are at the same offsets in each of its values, and a property with
/// `@Stored` is one strong reference and nothing else. So the word at the offset of such a property
/// is its box, whichever way the value was made.
struct SchemaLayout: Sendable {
  private struct Field: Sendable {
    let offset: Int
    let name: String
  }

  private let fields: [Field]

  /// nil for a type whose values have to be reflected each time.
  private static let known = Lock([ObjectIdentifier: SchemaLayout?]())

  /// Calls the body with all boxes of a schema, the prefixes of the groups they are in, and the
  /// names of their settings.
  static func forEachBox<Schema: Defaults.Schema>(
    of schema: Schema, _ body: (AnyStoredBox, _ group: String, _ name: String) -> Void
  ) {
    let type = ObjectIdentifier(Schema.self)
    if let layout = known.withLock({ $0[type] }) ?? nil {
      return layout.forEachBox(of: schema, body)
    }
    let reflection = SchemaReflection(of: schema)
    let layout = SchemaLayout(of: schema, reflection)
    known.withLock { $0[type] = .some(layout) }
    for property in reflection.properties {
      body(property.box, property.prefix, property.ownName)
    }
  }

  /// The layout of a flat struct. In a group another type could stand at the same place: a property
  /// may have the type `any Schema`.
  private init?<Schema: Defaults.Schema>(of schema: Schema, _ reflection: SchemaReflection) {
    guard !(Schema.self is AnyClass), reflection.isFlat else { return nil }
    var fields: [Field] = []
    for property in reflection.properties {
      guard let offset = Self.offset(of: property.box, in: schema) else { return nil }
      fields.append(Field(offset: offset, name: property.ownName))
    }
    guard !fields.isEmpty || MemoryLayout<Schema>.size == 0 else {
      fatalError(
        """
        no property of \(Schema.self) has @Stored, or Swift's reflection doesn't show them: build \
        the module without -disable-reflection-metadata
        """)
    }
    self.fields = fields
  }

  private static func offset<Schema>(of box: AnyStoredBox, in schema: Schema) -> Int? {
    let address = UnsafeRawPointer(Unmanaged.passUnretained(box).toOpaque())
    return withUnsafeBytes(of: schema) { bytes in
      stride(
        from: 0, through: bytes.count - MemoryLayout<UnsafeRawPointer>.size,
        by: MemoryLayout<UnsafeRawPointer>.alignment
      ).first { bytes.load(fromByteOffset: $0, as: UnsafeRawPointer?.self) == address }
    }
  }

  private func forEachBox<Schema>(
    of schema: Schema, _ body: (AnyStoredBox, _ group: String, _ name: String) -> Void
  ) {
    withUnsafeBytes(of: schema) { bytes in
      for field in fields {
        let word = bytes.load(
          fromByteOffset: field.offset, as: Unmanaged<AnyStoredBox>.self)
        body(word.takeUnretainedValue(), "", field.name)
      }
    }
  }
}
