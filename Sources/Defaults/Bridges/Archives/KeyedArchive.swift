#if !canImport(Darwin)
  import Foundation

  extension Defaults {
    /// The objects of a keyed archive, as property lists that refer to each other.
    struct KeyedArchive {
      static let maximumDepth = 256

      private let objects: [PropertyListValue]
      /// The index of the object that was archived.
      let root: Int

      /// Parses an archive and checks its frame; throws if the data isn't an archive.
      init(_ data: Data) throws(ConversionError) {
        let content: PropertyListValue
        do throws(ConversionError) {
          content = try BinaryPropertyListDecoder.decodeValue(data, acceptsUIDs: true)
        } catch {
          throw ConversionError("the data isn't a keyed archive: \(error)")
        }
        guard case .dictionary(let frame) = content,
          frame["$archiver"] == "NSKeyedArchiver", frame["$version"] == 100_000,
          case .dictionary(let top)? = frame["$top"], case .array(let objects)? = frame["$objects"],
          objects.first == "$null", let root = top["root"].flatMap(Self.reference)
        else { throw ConversionError("the data isn't a keyed archive") }
        self.objects = objects
        self.root = root
      }

      func object(at index: Int) throws(ConversionError) -> PropertyListValue {
        guard objects.indices.contains(index) else {
          throw ConversionError("the archive has no object \(index)")
        }
        return objects[index]
      }

      /// Returns the name of the class of an object with these fields.
      func className(of fields: [String: PropertyListValue]) throws(ConversionError) -> String {
        guard let index = fields["$class"].flatMap(Self.reference),
          case .dictionary(let description) = try object(at: index),
          case .string(let name)? = description["$classname"]
        else { throw ConversionError("an object of the archive has no class") }
        return name
      }

      /// Returns the index that a UID contains; nil for any other value.
      static func reference(_ value: PropertyListValue) -> Int? {
        guard case .dictionary(let fields) = value, fields.count == 1,
          case .integer(let index)? = fields["CF$UID"]
        else { return nil }
        return Int(index)
      }
    }
  }

  extension Defaults.KeyedArchive {
    /// The classes that an archive may contain, in addition to Foundation's classes.
    struct Classes: Sendable {
      typealias Class = any (NSObject & NSSecureCoding & SendableMetatype).Type

      private let classes: [String: Class]

      /// Omits classes without a name in archives. An archive can't contain them.
      init(_ list: [Class]) {
        classes = Dictionary(
          list.compactMap { type in Self.name(of: type).map { ($0, type) } }
        ) { first, _ in first }
      }

      subscript(name: String) -> Class? { classes[name] }

      /// Throws if objects of exactly this class can't be archived.
      func check(_ type: NSObject.Type) throws(ConversionError) {
        guard let name = Self.name(of: type) else {
          throw ConversionError(
            "\(String(reflecting: type)) is nested, private or generic, and has no name in archives"
          )
        }
        guard let known = classes[name] else {
          throw ConversionError("\(name) isn't among the classes that may be archived")
        }
        guard known.supportsSecureCoding else {
          throw ConversionError("\(name) doesn't support secure coding")
        }
      }

      /// Returns the result of `NSStringFromClass` for a class at the top level, and nil for other
      /// classes, for which that function traps.
      private static func name(of type: NSObject.Type) -> String? {
        let name = String(reflecting: type)
        let isTopLevel =
          name.split(separator: ".", omittingEmptySubsequences: false).count == 2
          && !name.contains { "(<> ".contains($0) }
        return isTopLevel ? name : nil
      }
    }
  }
#endif
