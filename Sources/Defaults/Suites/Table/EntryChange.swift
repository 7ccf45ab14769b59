/// A change of one entry; nil stands for no entry.
package struct EntryChange: Sendable, Equatable {
  package let name: String
  package let old: PropertyListValue?
  package let new: PropertyListValue?

  package init(name: String, old: PropertyListValue?, new: PropertyListValue?) {
    self.name = name
    self.old = old
    self.new = new
  }
}
