import Defaults
import DefaultsText

extension Verb {
  private static let shells = ["bash", "zsh", "fish"]

  static let completion = Verb(
    name: "completion", operands: "bash|zsh|fish", count: 1...1,
    summary: "print a script that completes commands, settings and values in a shell"
  ) { command, invocation in
    let shell = invocation.operands[0]
    guard let script = command.script(for: shell) else {
      throw UsageError(unknown: "shell", shell, known: shells)
    }
    Console.printExactly(script)
  }

  /// What may stand behind these words, one to a line: for the scripts.
  static let candidates = Verb(
    name: "__complete", count: 0...Int.max, takesRest: true, summary: ""
  ) { command, invocation in
    for text in command.candidates(behind: invocation.operands) {
      Console.print(text)
    }
  }
}

extension Defaults.Command {
  /// What may stand behind the words before; of settings' values, those that are few.
  fileprivate func candidates(behind words: [String]) -> [String] {
    guard let name = words.first else { return Verb.all.map(\.name) }
    guard let verb = try? Verb.named(name) else { return [] }
    if name == "completion" { return words.count == 1 ? ["bash", "zsh", "fish"] : [] }
    if name == "help" { return words.count == 1 ? Verb.all.map(\.name) : [] }
    guard verb.operands.contains("NAME") else { return verb.options.map(\.name) }
    let operands = words.dropFirst().filter { !$0.hasPrefix("-") }
    if verb.operands.contains("VALUE"), let first = operands.first {
      guard let key = keys.first(where: { $0.name == first }) else { return [] }
      return key.choices ?? (key.takesBool ? ["true", "false"] : [])
    }
    guard operands.count < verb.count.upperBound else { return [] }
    return keys.map(\.name) + verb.options.map(\.name)
  }

  fileprivate func script(for shell: String) -> String? {
    let words = name.split(separator: " ").map { shellQuoted(String($0)) }
    let program = words.first ?? name
    let command = words.joined(separator: " ")
    let function = "_" + name.map { $0.isLetter || $0.isNumber ? String($0) : "_" }.joined()
    let prefix = shellQuoted(name.split(separator: " ").dropFirst().joined(separator: " "))
    switch shell {
    case "bash":
      // Not `compgen -W`, which runs the commands that stand in its words.
      return """
        \(function)() {
          local IFS=' ' candidate quoted word="${COMP_WORDS[COMP_CWORD]}"
          local words=("${COMP_WORDS[@]:1:COMP_CWORD-1}")
          [ "${words[*]:0:\(words.count - 1)}" = \(prefix) ] || return
          COMPREPLY=()
          while IFS= read -r candidate; do
            printf -v quoted %q "$candidate"
            if [[ $candidate == "$word"* || $quoted == "$word"* ]]; then COMPREPLY+=("$quoted"); fi
          done < <(\(command) __complete -- "${words[@]:\(words.count - 1)}" 2>/dev/null)
        }
        complete -o default -F \(function) \(program)

        """
    case "zsh":
      return """
        #compdef \(program)
        \(function)() {
          local -a before candidates
          before=("${(@)words[2,CURRENT-1]}")
          [[ "${before[1,\(words.count - 1)]}" = \(prefix) ]] || return
          candidates=("${(@f)$(\(command) __complete -- "${(@)before[\(words.count),-1]}" 2>/dev/null)}")
          compadd -a candidates
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

        """
    default: return nil
    }
  }
}

/// A word as a shell reads it as one, and as itself.
private func shellQuoted(_ word: String) -> String {
  let isPlain = word.utf8.allSatisfy { byte in
    UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte || UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte
      || UInt8(ascii: "A")...UInt8(ascii: "Z") ~= byte || "-_./+@".utf8.contains(byte)
  }
  return isPlain && !word.isEmpty ? word : "'\(word.replacing("'", with: #"'\''"#))'"
}
