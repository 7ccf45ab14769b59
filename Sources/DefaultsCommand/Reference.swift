import Defaults
import DefaultsLayers
import DefaultsText
import Foundation

// The verbs that print the declarations of the settings for people.

extension Verb {
  static let references = [sample, docs, bundle]

  private static let sampleFormat = Option(
    name: "--as", value: "FORMAT", summary: "jsonc, plist or dotenv; by default jsonc")
  private static let prefix = Option(
    name: "--prefix", value: "PREFIX",
    summary: "the prefix of the environment variables; by default, the program's prefix")

  private static let sample = Verb(
    name: "sample", options: [sampleFormat, prefix], usesSettings: false,
    summary: "print a commented file of all settings, to edit and use"
  ) { command, invocation in
    let name = invocation[sampleFormat] ?? "jsonc"
    guard let format = Defaults.SampleFile(rawValue: name) else {
      throw UsageError(
        unknown: "format", name, known: Defaults.SampleFile.allCases.map(\.rawValue))
    }
    let prefix = invocation[prefix] ?? command.suite.environmentPrefix ?? ""
    Console.printExactly(
      format.text(of: command.keys, program: command.name) {
        Defaults.environmentVariable(of: $0, prefix: prefix)
      })
  }

  private static let docs = Verb(
    name: "docs", options: [prefix], usesSettings: false,
    summary: "print a reference of all settings in Markdown"
  ) { command, invocation in
    let variable = (invocation[prefix] ?? command.suite.environmentPrefix).map { prefix in
      { (name: String) in Defaults.environmentVariable(of: name, prefix: prefix) }
    }
    Console.printExactly(
      Defaults.markdownReference(
        of: command.keys, title: "Settings of \(command.name)", variable: variable))
  }

  private static let bundle = Verb(
    name: "bundle", operands: "FOLDER", count: 1...1, usesSettings: false,
    summary: "create a Settings.bundle for iOS in a folder"
  ) { command, invocation in
    let folder = URL(filePath: invocation.operands[0]).appending(path: "Settings.bundle")
    let (root, omitted) = Defaults.settingsBundle(of: command.keys)
    guard case .dictionary(let entries) = root else { return }
    let data = try Defaults.PropertyListFormat.xml.encode(entries)
    let file = folder.appending(path: "Root.plist")
    // Under another name until it is complete, so that no error leaves a part of it.
    let new = folder.appending(path: "Root.plist.\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: new) }
    do {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      try data.write(to: new, options: .withoutOverwriting)
      try FileManager.default.moveItem(at: new, to: file)
    } catch CocoaError.fileWriteFileExists {
      throw Defaults.CommandError(
        "\(file.path): the file exists; remove it, or choose another folder", status: 73)
    } catch {
      throw Defaults.CommandError("\(file.path): \(error.localizedDescription)", status: 73)
    }
    Console.print(file.path)
    for name in omitted {
      Console.printMessage("\(name): left out, because the Settings app has no element for it")
    }
  }
}
