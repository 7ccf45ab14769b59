import Defaults
import DefaultsText

extension Verb {
  private static let shells = ["bash", "zsh", "fish"]

  static let completion = Verb(
    name: "completion", operands: "bash|zsh|fish", count: 1...1, usesSettings: false,
    summary: "print a shell script that completes commands, settings and values"
  ) { command, invocation in
    let shell = invocation.operands[0]
    guard let script = command.script(for: shell) else {
      throw UsageError(unknown: "shell", shell, known: shells)
    }
    Console.printExactly(script)
  }

  private static let bash = Option(name: "--bash", summary: "")

  /// The completion candidates for the scripts, one on each line. With `--bash` the operands are
  /// the line up to the cursor and its part that `bash` replaces. Each candidate replaces that
  /// part.
  static let candidates = Verb(
    name: "__complete", count: 0...Int.max, options: [bash], takesRest: true, usesSettings: false,
    summary: ""
  ) { command, invocation in
    guard invocation.has(bash) else {
      for text in command.candidates(behind: invocation.operands) { Console.print(text) }
      return
    }
    guard let line = invocation.operands.first, let end = invocation.operands.last else { return }
    for text in command.replacements(of: end, in: ShellWords(line)) {
      Console.printExactly(text + "\n")
    }
  }
}

extension Verb {
  fileprivate var takesPath: Bool {
    let words = operands.split { !$0.isLetter }
    return words.contains("FILE") || words.contains("FOLDER")
  }
}

extension Defaults.Command {
  /// The completion candidates after some words. Values are included only if there are few of them.
  fileprivate func candidates(behind words: [String]) -> [String] {
    if let option = Self.profileWords(of: words) {
      guard words.count >= option.count else { return suite.hasProfiles ? allProfiles : [] }
      guard let (command, words) = try? choosingProfile(words) else { return [] }
      return command.candidates(behind: words)
    }
    let verbs = Verb.listed(of: self).map(\.name)
    guard let name = words.first else {
      return verbs + (suite.hasProfiles ? [Verb.profileOption.name] : [])
    }
    guard let verb = try? Verb.named(name, of: self) else { return [] }
    if name == "profile" { return profileCandidates(after: Array(words.dropFirst())) }
    if name == "completion" { return words.count == 1 ? ["bash", "zsh", "fish"] : [] }
    if name == "help" { return words.count == 1 ? verbs : [] }
    guard verb.operands.contains("NAME") else {
      return verb.options(in: self).map(\.name)
    }
    let operands = words.dropFirst().filter { !$0.hasPrefix("-") }
    if verb.operands.contains("VALUE"), let first = operands.first {
      guard let key = try? key(named: first) else { return [] }
      return key.choices ?? (key.takesBool ? ["true", "false"] : [])
    }
    guard operands.count < verb.count.upperBound else { return [] }
    return keys.map(\.name) + verb.options(in: self).map(\.name)
  }

  /// The replacements for the end of a line. Each includes the word's part in `end`.
  fileprivate func replacements(of end: String, in line: ShellWords) -> [String] {
    let prefix = name.split(separator: " ").dropFirst().map(String.init)
    let words = line.before.dropFirst()
    guard !line.before.isEmpty, words.starts(with: prefix) else { return [] }
    return candidates(behind: Array(words.dropFirst(prefix.count))).compactMap { text in
      line.rest(of: escaped(text)).map { end + $0 }
    }
  }

  fileprivate func script(for shell: String) -> String? {
    let words = name.split(separator: " ").map { ShellWords.quoted(String($0)) }
    let program = words.first ?? name
    let command = words.joined(separator: " ")
    let function = "_" + name.map { $0.isLetter || $0.isNumber ? String($0) : "_" }.joined()
    let prefix = ShellWords.quoted(name.split(separator: " ").dropFirst().joined(separator: " "))
    // Only `bash` completes file names if no candidate matches.
    let verbs = Verb.all(of: self).filter(\.takesPath).map(\.name)
    switch shell {
    case "bash":
      // `compgen -W` would execute commands in the candidates. `COMP_WORDS` contains quotation
      // marks and is split at colons.
      return """
        \(function)() {
          local candidate
          COMPREPLY=()
          while IFS= read -r candidate; do
            COMPREPLY+=("$candidate")
          done < <(\(command) __complete --bash -- "${COMP_LINE:0:COMP_POINT}" "$2" 2>/dev/null)
        }
        complete -o default -F \(function) \(program)

        """
    case "zsh":
      return """
        #compdef \(program)
        \(function)() {
          local -a before candidates
          local ret=1
          before=("${(@Q)words[2,CURRENT-1]}")
          [[ "${before[1,\(words.count - 1)]}" = \(prefix) ]] || return
          candidates=("${(@f)$(\(command) __complete -- "${(@)before[\(words.count),-1]}" 2>/dev/null)}")
          compadd -a candidates && ret=0
          (( ${before[(I)(\(verbs.joined(separator: "|")))]} )) && _files && ret=0
          return ret
        }
        compdef \(function) \(program)

        """
    case "fish":
      return """
        function \(function)
          set -l before (commandline -opc)
          test "$before[2..\(max(2, words.count))]" = \(prefix) -o \(words.count) = 1; or return
          \(command) __complete -- $before[\(words.count + 1)..-1] 2>/dev/null
        end
        complete -c \(program) -f -a '(\(function))'
        complete -c \(program) -n '__fish_seen_subcommand_from \(verbs.joined(separator: " "))' -F

        """
    default: return nil
    }
  }
}
