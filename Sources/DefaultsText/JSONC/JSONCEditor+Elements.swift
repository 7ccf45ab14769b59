import Defaults
import Foundation

/// Removing and adding elements of an object or array.
extension JSONCEditor {
  /// A range between two elements, divided into the end of the first one's text and the beginning
  /// of the second one's. Comments in between belong to neither element.
  struct Gap {
    /// The end of the text that belongs to the element, or the opening bracket, before the gap.
    var end: Int
    /// The beginning of the text that belongs to the element behind the gap.
    var start: Int
    var hasBreak = false
    var hasComment = false
  }

  /// Divides the gap before the element with an index, or before the closing bracket.
  func gap(before index: Int, in container: Value) -> Gap {
    let elements = container.elements
    let lower = index == 0 ? container.range.lowerBound + 1 : elements[index - 1].end
    let isLast = index == elements.count
    let upper = isLast ? container.range.upperBound - 1 : elements[index].start
    let tokens = structure.tokens(in: lower..<upper)
    var gap = Gap(end: lower, start: upper)
    gap.hasComment = tokens.contains { $0.kind == .comment }
    let comma = tokens.firstIndex { $0.kind == .comma }
    guard let first = tokens.firstIndex(where: { $0.breaks > 0 }) else {
      // In one line, a comment behind the comma belongs to the next element.
      if isLast {
        gap.end = tokens.last { $0.kind != .space }?.range.upperBound ?? lower
      } else {
        gap.end = comma.map { tokens[$0].range.upperBound } ?? lower
        let comments = tokens[(comma.map { $0 + 1 } ?? 0)...].filter { $0.kind == .comment }
        gap.start = comments.first?.range.lowerBound ?? upper
      }
      return gap
    }
    gap.hasBreak = true
    gap.end = tokens[..<first].last { $0.kind != .space }?.range.upperBound ?? lower
    // Comments in the line of a comma belong to the comma, unless the element is in that line, too.
    var (line, isInLine) = (upper, true)
    for token in tokens[first...].reversed() {
      if token.kind == .comma, !isInLine { break }
      if token.kind == .comment { line = token.range.lowerBound }
      if token.breaks > 0 || isInLine { gap.start = line }
      if token.breaks > 1 || token.kind == .comma { break }
      if token.breaks > 0 { isInLine = false }
    }
    return gap
  }

  /// Whether an object or array has elements, all in one line.
  func isOneLine(_ container: Value) -> Bool {
    !(0...container.elements.count).contains { gap(before: $0, in: container).hasBreak }
  }

  /// The text between name and value of the first member, if it is only a colon with spaces.
  func colon(of object: Value) -> [UInt8] {
    let usual = Array(": ".utf8)
    guard let first = object.elements.first, let name = first.name else { return usual }
    let text = bytes[name.upperBound..<first.value.range.lowerBound]
    return text.count < 8 && text.allSatisfy { " :".utf8.contains($0) } ? Array(text) : usual
  }

  mutating func apply(_ changes: Changes, to container: Value, isOneLine: Bool) {
    if changes.isEmpty { return }
    let count = container.elements.count
    let rest = (0..<count).filter { !changes.removed.contains($0) }
    if rest.isEmpty { return replaceAll(changes, in: container, isOneLine: isOneLine) }
    if let added = changes.added[-1] { insertFirst(added, in: container) }
    let usualIndentation = changes.added.isEmpty ? [] : indentation(of: container)
    // The elements before the first remaining one, each with the comma behind it.
    removeElements(0..<rest[0], in: container, commas: 0..<rest[0])
    for (position, index) in rest.enumerated() {
      let next = position + 1 < rest.count ? rest[position + 1] : nil
      let added = changes.added[index] ?? []
      let comma = remove(after: index, upTo: next, in: container, isAdding: !added.isEmpty)
      if !added.isEmpty {
        insert(
          added, after: index, in: container, before: comma, isLast: next == nil,
          isOneLine: isOneLine, usualIndentation: usualIndentation)
      }
    }
  }

  // MARK: - Removing

  /// Removes the elements between two remaining ones, or behind the last one.
  ///
  /// - Returns: The offset of the comma that remains behind the element, if any.
  private mutating func remove(
    after index: Int, upTo next: Int?, in container: Value, isAdding: Bool
  ) -> Int? {
    let elements = container.elements
    let end = next ?? elements.count
    let removed = index + 1..<end
    guard !removed.isEmpty else { return elements[index].comma }
    // If lines begin with commas, an element is removed with the comma before it, not after it.
    let trailing = next == nil ? elements[end - 1].comma : nil
    let isTrailingBelow = trailing.map { $0 >= gap(before: end, in: container).end } ?? true
    let isCommaFirst =
      isTrailingBelow
      && (index..<(next ?? end - 1)).allSatisfy { index in
        guard let comma = elements[index].comma else { return false }
        let gap = gap(before: index + 1, in: container)
        return comma >= gap.end && gap.start > comma
          && !bytes[comma..<gap.start].contains(where: JSONCStructure.isBreak)
      }
    if isCommaFirst {
      removeElements(removed, in: container, commas: index..<end - 1)
      return elements[end - 1].comma
    }
    removeElements(removed, in: container, commas: removed)
    guard let comma = elements[index].comma, next == nil, elements[end - 1].comma == nil else {
      return elements[index].comma
    }
    // The last element has no comma, unless new elements follow it.
    if isAdding, comma < gap(before: index + 1, in: container).end { return comma }
    edits.delete(comma..<comma + 1)
    return nil
  }

  private mutating func removeElements(
    _ removed: Range<Int>, in container: Value, commas: Range<Int>
  ) {
    let elements = container.elements
    var region: Range<Int>?
    for index in removed {
      var start = gap(before: index, in: container).start
      // The comma before the element, at the beginning of its line.
      if commas.lowerBound < removed.lowerBound, let comma = elements[index - 1].comma {
        start = min(start, comma)
      }
      let end = gap(before: index + 1, in: container).end
      if let last = region {
        // Elements in one line are removed together.
        if !bytes[last.upperBound..<start].contains(where: JSONCStructure.isBreak),
          layout.skippingSpaces(from: last.upperBound) == start
        {
          region = last.lowerBound..<end
          continue
        }
        delete(last, in: container)
      }
      region = start..<end
    }
    if let region { delete(region, in: container) }
    for index in commas {
      if let comma = elements[index].comma { edits.delete(comma..<comma + 1) }
    }
  }

  /// Deletes the text of elements: whole lines if nothing else is in them.
  private mutating func delete(_ region: Range<Int>, in container: Value) {
    let (start, end) = (region.lowerBound, region.upperBound)
    let endOfLine = layout.endOfLine(after: end)
    if layout.beginsLine(start) {
      edits.delete(
        endOfLine.map { layout.lineStart(of: start)..<$0 }
          ?? start..<layout.skippingSpaces(from: end)
      )
    } else if endOfLine != nil || layout.skippingSpaces(from: end) == container.range.upperBound - 1
    {
      edits.delete(layout.skippingSpacesBack(from: start)..<end)
    } else {
      edits.delete(start..<layout.skippingSpaces(from: end))
    }
  }

  // MARK: - Adding

  /// The text of a new element.
  private func text(
    of addition: Addition, in container: Value, indentation: [UInt8]?
  ) -> [UInt8] {
    var text: [UInt8] = []
    let colon = colon(of: container)
    if let about = addition.about, let indentation {
      text += layout.comment(about, indentation: indentation)
    }
    if let name = addition.name {
      text += layout.text(of: .string(name), indentation: nil, isCompact: true) + colon
    }
    let isCompact = indentation == nil && colon == [UInt8(ascii: ":")]
    return text + layout.text(of: addition.value, indentation: indentation, isCompact: isCompact)
  }

  /// The indentation of the elements of an object or array.
  ///
  /// - Complexity: O(*n*) for *n* elements before the first one that begins a line.
  private func indentation(of container: Value) -> [UInt8] {
    if let start = container.elements.lazy.map(\.start).first(where: layout.beginsLine) {
      return layout.indentation(at: start)
    }
    return layout.indentation(at: container.range.lowerBound) + layout.unit
  }

  /// Adds elements behind one that remains. `comma` is the offset of the comma that remains behind
  /// that element; `usualIndentation` is that of an element if this one doesn't begin a line.
  private mutating func insert(
    _ added: [Addition], after index: Int, in container: Value, before comma: Int?, isLast: Bool,
    isOneLine: Bool, usualIndentation: [UInt8]
  ) {
    let gap = gap(before: index + 1, in: container)
    let isInLine = isOneLine || !gap.hasBreak && index + 1 < container.elements.count
    let start = container.elements[index].start
    let indentation =
      isInLine ? nil : layout.beginsLine(start) ? layout.indentation(at: start) : usualIndentation
    let isBehindComma = comma.map { $0 < gap.end } ?? false
    if !isBehindComma {
      // Behind a comment in the same line only if that isn't one to the end of the line.
      let end = isInLine && comma == nil ? gap.end : container.elements[index].end
      edits.insert([UInt8(ascii: ",")], at: end)
    }
    let hasCommaAtEnd =
      isBehindComma && (!isLast || container.elements.last?.comma != nil)
    let space: [UInt8] = hasSpaces(container) ? [0x20] : []
    var text: [UInt8] = []
    for (position, addition) in added.enumerated() {
      text += indentation.map { layout.lineBreak + $0 } ?? space
      text += self.text(of: addition, in: container, indentation: indentation)
      if hasCommaAtEnd || position + 1 < added.count { text.append(UInt8(ascii: ",")) }
    }
    edits.insert(text, at: gap.end)
  }

  /// Adds elements before the first one, which remains.
  private mutating func insertFirst(_ added: [Addition], in container: Value) {
    let start = gap(before: 0, in: container).start
    let indentation = layout.beginsLine(start) ? layout.indentation(at: start) : nil
    let space: [UInt8] = hasSpaces(container) ? [0x20] : []
    let text = added.flatMap { addition in
      self.text(of: addition, in: container, indentation: indentation) + [UInt8(ascii: ",")]
        + (indentation.map { layout.lineBreak + $0 } ?? space)
    }
    edits.insert(text, at: start)
  }

  /// Whether a space follows the first comma of an object or array in one line, or its colon.
  private func hasSpaces(_ container: Value) -> Bool {
    if let comma = container.elements.first?.comma, comma + 1 < bytes.count,
      container.elements.count > 1
    {
      return JSONCStructure.isSpace(bytes[comma + 1])
    }
    return colon(of: container).last == 0x20
  }

  /// Removes all elements, and adds others.
  private mutating func replaceAll(
    _ changes: Changes, in container: Value, isOneLine: Bool
  ) {
    let elements = container.elements
    let (open, close) = (container.range.lowerBound, container.range.upperBound - 1)
    let added = changes.added[-1] ?? []
    let all = elements.indices
    let hasCommaAtEnd = elements.last?.comma != nil
    let hasComments = (0...all.count).contains { gap(before: $0, in: container).hasComment }
    let indentation = indentation(of: container)
    let outer = layout.indentation(at: open)
    var text: [UInt8] = []
    if isOneLine, !hasComments, !added.isEmpty {
      // The elements of an empty object get their own lines, unless the whole file is in one line.
      let hasLines = all.isEmpty && (open == structure.root.range.lowerBound || hasLines)
      let space: [UInt8] = hasSpaces(container) ? [0x20] : []
      for (position, addition) in added.enumerated() {
        text += hasLines ? layout.lineBreak + indentation : position > 0 ? space : []
        text += self.text(
          of: addition, in: container, indentation: hasLines ? indentation : nil)
        if hasCommaAtEnd || position + 1 < added.count { text.append(UInt8(ascii: ",")) }
      }
      if hasLines { text += layout.lineBreak + outer }
      let last = elements.last.map { $0.comma.map { $0 + 1 } ?? $0.end }
      return edits.replace((elements.first?.start ?? open + 1)..<(last ?? close), with: text)
    }
    removeElements(all, in: container, commas: all)
    if added.isEmpty { return }
    for (position, addition) in added.enumerated() {
      if !isOneLine { text += indentation }
      text += self.text(of: addition, in: container, indentation: isOneLine ? nil : indentation)
      if hasCommaAtEnd || position + 1 < added.count { text.append(UInt8(ascii: ",")) }
      text += isOneLine ? [0x20] : layout.lineBreak
    }
    if isOneLine || layout.beginsLine(close) {
      edits.insert(text, at: isOneLine ? close : layout.lineStart(of: close))
    } else {
      edits.insert(layout.lineBreak + text + outer, at: close)
    }
  }
}
