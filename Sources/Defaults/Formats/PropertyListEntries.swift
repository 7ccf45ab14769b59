extension [String: Defaults.PropertyListValue] {
  /// Adds an entry of a file; throws if its key is taken, which would lose one of the two.
  mutating func add(
    _ value: Defaults.PropertyListValue, for key: String, at offset: Int
  ) throws(Defaults.PropertyListError) {
    // One look-up where all is well; what is lost here is thrown away with the error.
    if updateValue(value, forKey: key) != nil {
      let isSame = keys.contains { $0.utf8.elementsEqual(key.utf8) }
      throw Defaults.PropertyListError(
        isSame
          ? "the key \"\(key)\" stands twice in a dictionary"
          : "two keys differ only in how \"\(key)\" is composed, and would become one",
        offset: offset)
    }
  }
}
