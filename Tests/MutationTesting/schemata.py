"""Writes a copy of the package with all mutations compiled in, but inactive.

A build for each mutation would take hours. `DEFAULTS_MUTANT=17` activates mutation 17 in a process
and its children. With `DEFAULTS_MUTANT_TRACE=path`, each process appends the numbers of the sites
that it reaches, so that each mutation only runs against tests that reach it.
"""

import re
import shutil
import subprocess
from pathlib import Path

SUPPORT = '''
#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The mutation that is active in this process; 0 for none.
private let activeMutant: Int = getenv("DEFAULTS_MUTANT").flatMap { Int(String(cString: $0)) } ?? 0

private let tracePath: String? = getenv("DEFAULTS_MUTANT_TRACE").map { String(cString: $0) }

/// A race only causes a duplicate line in the trace.
nonisolated(unsafe) private let traced: UnsafeMutablePointer<Bool> = {
  let flags = UnsafeMutablePointer<Bool>.allocate(capacity: 100_000)
  flags.initialize(repeating: false, count: 100_000)
  return flags
}()

private func trace(_ number: Int) {
  guard let tracePath, !traced[number] else { return }
  traced[number] = true
  let before = errno
  let file = open(tracePath, O_WRONLY | O_APPEND | O_CREAT, 0o666)
  if file >= 0 {
    let line = Array("\\(number)\\n".utf8)
    _ = line.withUnsafeBytes { write(file, $0.baseAddress, $0.count) }
    close(file)
  }
  errno = before
}

@usableFromInline
func isMutant(_ number: Int) -> Bool {
  if tracePath != nil { trace(number) }
  return activeMutant == number
}

@usableFromInline
func mutantNegated(_ number: Int, _ value: Bool) -> Bool { isMutant(number) != value }

@usableFromInline
func mutantOffByOne<Number: Numeric>(_ number: Int, _ value: Number) -> Number {
  isMutant(number) ? value + 1 : value
}

@usableFromInline
func mutantOneLess<Number: Numeric>(_ number: Int, _ value: Number) -> Number {
  isMutant(number) ? value - 1 : value
}

@usableFromInline
func mutantLess<Value: Comparable>(_ number: Int, _ left: Value, _ right: Value) -> Bool {
  isMutant(number) ? left <= right : left < right
}

@usableFromInline
func mutantLessOrEqual<Value: Comparable>(_ number: Int, _ left: Value, _ right: Value) -> Bool {
  isMutant(number) ? left < right : left <= right
}

@usableFromInline
func mutantGreater<Value: Comparable>(_ number: Int, _ left: Value, _ right: Value) -> Bool {
  isMutant(number) ? left >= right : left > right
}

@usableFromInline
func mutantGreaterOrEqual<Value: Comparable>(_ number: Int, _ left: Value, _ right: Value) -> Bool {
  isMutant(number) ? left > right : left >= right
}
'''


def rewrite(text, sites):
  """Returns the file with all sites, and the byte range of each site in it."""
  pieces = []  # (position, order, length of the site, text to insert, end of the replaced text)
  for site in sites:
    size = site.end - site.start
    for index, (start, end, code) in enumerate(site.edits):
      code = code.format(n=site.number)
      if start != end:
        pieces.append((start, 2, 0, code, end))
      elif index == 0 and start == site.start:
        # If several sites begin here, the outermost one comes first.
        pieces.append((start, 1, -size, code, end))
      elif index == len(site.edits) - 1 and start == site.end:
        # If several sites end here, the outermost one comes last.
        pieces.append((start, 0, size, code, end))
      else:
        pieces.append((start, 1 if index == 1 else 0, 0, code, end))
  pieces.sort(key=lambda piece: piece[:3])
  result, at = [], 0
  for start, _, _, code, end in pieces:
    result += [text[at:start], code]
    at = max(at, end)
  result.append(text[at:])

  def new_position(offset, is_end):
    # The byte after all insertions before this offset, and for an end also those at it.
    shift = 0
    for start, _, _, code, end in pieces:
      if start < offset or (start == offset and is_end):
        shift += len(code.encode()) - len(text[start:end].encode())
    return len(text[:offset].encode()) + shift

  spans = {}
  for site in sites:
    low = min([site.start] + [start for start, _, _ in site.edits])
    high = max([site.end] + [end for _, end, _ in site.edits])
    spans[site.number] = (new_position(low, False), new_position(high, True))
  return "".join(result), spans


class Schemata:
  """The copy, and the errors of its compilation."""

  def __init__(self, repository, copy):
    self.repository, self.copy = Path(repository), Path(copy)

  def prepare(self):
    """Copies all files that are built, except the library's own, which `apply` writes.

    Unchanged files keep their modification dates, to keep rebuilds small.
    """
    # The README links to the license, and a test checks its links.
    for name in ("Package.swift", "README.md", "LICENSE"):
      self.write(self.copy / name, (self.repository / name).read_text())
    wanted = {self.copy / "Sources/Defaults/ActiveMutant.swift"}
    for name in ("Sources", "Tests"):
      for path in (self.repository / name).rglob("*"):
        if not path.is_file() or path.suffix == ".pyc":
          continue
        target = self.copy / path.relative_to(self.repository)
        wanted.add(target)
        if "Sources/Defaults/" in str(path) and path.suffix == ".swift":
          continue
        content = path.read_bytes()
        # Children with their own environment must run the same mutation.
        content = content.replace(
          b'["PATH", "LD_LIBRARY_PATH", "LLVM_PROFILE_FILE"]',
          b'["PATH", "LD_LIBRARY_PATH", "DEFAULTS_MUTANT", "DEFAULTS_MUTANT_TRACE"]')
        if not target.exists() or target.read_bytes() != content:
          target.parent.mkdir(parents=True, exist_ok=True)
          target.write_bytes(content)
          shutil.copymode(path, target)
    for name in ("Sources", "Tests"):
      for path in (self.copy / name).rglob("*"):
        if path.is_file() and path not in wanted:
          path.unlink()

  @staticmethod
  def write(path, text):
    if not path.exists() or path.read_text() != text:
      path.parent.mkdir(parents=True, exist_ok=True)
      path.write_text(text)

  def apply(self, sites):
    """Writes all files with these sites."""
    self.write(self.copy / "Sources/Defaults/ActiveMutant.swift", SUPPORT.lstrip())
    self.spans, files = {}, {}
    for site in sites:
      files.setdefault(site.path, []).append(site)
    for path in (self.repository / "Sources/Defaults").rglob("*.swift"):
      relative = str(path.relative_to(self.repository))
      text, spans = rewrite(path.read_text(), files.get(relative, []))
      self.spans[relative] = spans
      self.write(self.copy / relative, text)

  def check(self):
    """Returns the errors of compiling only the library, as (file, line, column, message)."""
    files = sorted(str(path) for path in (self.copy / "Sources/Defaults").rglob("*.swift")
                   if ".docc/" not in str(path))
    command = ["swiftc", "-swift-version", "6", "-module-name", "Defaults", "-parse-as-library",
               "-wmo", "-Onone", "-enable-testing", "-suppress-warnings", "-emit-sil",
               "-package-name", "defaults", "-o", "/dev/null", *files]
    result = subprocess.run(command, capture_output=True, text=True)
    errors = []
    for match in re.finditer(r"^(/\S+?):(\d+):(\d+): error: (.*)$", result.stderr, re.M):
      path = str(Path(match[1]).relative_to(self.copy))
      errors.append((path, int(match[2]), int(match[3]), match[4]))
    if result.returncode and not errors:
      raise SystemExit("the compiler failed: " + result.stderr[-3000:])
    return errors

  def culprits(self, errors, sites):
    """Returns the sites that cause the errors: the innermost, or those of the line or the file."""
    by_number = {site.number: site for site in sites}
    guilty = {}
    for path, line, column, sentence in errors:
      spans = self.spans.get(path, {})
      lines = (self.copy / path).read_bytes().split(b"\n")
      offset = sum(len(text) + 1 for text in lines[:line - 1]) + column - 1
      inside = [(end - start, number) for number, (start, end) in spans.items()
                if start <= offset <= end]
      if inside:
        guilty[min(inside)[1]] = sentence
        continue
      near = [number for number in spans if abs(by_number[number].line - line) <= 1]
      near = near or sorted(spans, key=lambda number: abs(by_number[number].line - line))[:1]
      if not near:
        raise SystemExit(f"an error without a mutation: {path}:{line}: {sentence}")
      for number in near:
        guilty[number] = sentence
    return guilty

  def settle(self, sites, say):
    """Removes sites that don't compile, writes the others to the copy, and returns them."""
    sites = list(sites)
    for round in range(1, 30):
      self.apply(sites)
      errors = self.check()
      if not errors:
        return sites
      guilty = self.culprits(errors, sites)
      say(f"round {round}: {len(errors)} errors, {len(guilty)} of {len(sites)} dropped")
      for site in sites:
        if site.number in guilty:
          site.reason = guilty[site.number]
      sites = [site for site in sites if site.number not in guilty]
    raise SystemExit("the mutations don't compile")

  def build(self, say):
    """Builds the tests of the copy."""
    say("building the tests (takes minutes)")
    result = subprocess.run(
      ["swift", "build", "--build-tests", "--package-path", str(self.copy)],
      capture_output=True, text=True)
    if result.returncode:
      raise SystemExit("the copy doesn't build:\n" + result.stdout[-5000:] + result.stderr[-2000:])
