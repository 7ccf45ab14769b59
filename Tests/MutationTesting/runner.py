"""Runs the tests with one mutation after another, and stores the results.

First, each test suite runs once without a mutation. It must pass, and records the sites that it
reaches. Each mutation then runs against the suites that reach it, in four steps: the fastest of the
folder of the same name, the others of that folder, other fast ones, slow ones. It is caught if a test
fails, if the tests crash, or if they take much longer than without it. Tests that fail outside of the
folder run again without the mutation, so that a flaky test catches nothing.
"""

import hashlib
import json
import os
import re
import signal
import subprocess
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

FAILURE = re.compile(r"✘ Test (.+?) recorded an issue(?:.*? at (\S+\.swift):\d+)?")
COLOR = re.compile(r"\x1b\[[0-9;]*m")
# The test folders of each source folder.
FOLDERS = {
  "Files": {"Files", "Disks"}, "Formats": {"Formats", "Hostile"},
  "PropertyListSuite": {"PropertyListSuite", "Recovery", "Processes", "Hostile"},
  "Suites": {"Suites", "Processes"}, "Keys": {"Keys"}, "Observation": {"Observation", "Settings"},
  "Codings": {"Codings"}, "Transfer": {"Transfer"},
}
# Seconds that a suite takes, with the start of the process.
FAST, SLOW = 1.0, 8.0


class Runner:
  def __init__(self, schemata, say, jobs, is_as_built, is_quick):
    self.schemata, self.say, self.jobs, self.is_as_built = schemata, say, jobs, is_as_built
    self.is_quick = is_quick
    self.running = set()
    signal.signal(signal.SIGTERM, self.stop)
    signal.signal(signal.SIGINT, self.stop)
    self.copy = schemata.copy
    self.store = self.copy.parent / (self.copy.name + ".results.json")
    self.lock = threading.Lock()
    self.state = json.loads(self.store.read_text()) if self.store.exists() else {}
    self.results = self.state.setdefault("results", {})
    self.suites = self.state.setdefault("suites", {})

  def save(self):
    self.store.parent.mkdir(parents=True, exist_ok=True)
    new = self.store.with_suffix(".new")
    new.write_text(json.dumps(self.state, indent=1, ensure_ascii=False))
    new.replace(self.store)

  def stop(self, *_):
    """Ends all running tests, since tests with a mutation may never end by themselves."""
    for group in list(self.running):
      try:
        os.killpg(group, signal.SIGKILL)
      except ProcessLookupError:
        pass
    os._exit(1)

  def forget(self, sites):
    for site in sites:
      self.results.pop(site.key, None)

  def compile(self, sites):
    """Updates the copy, and returns the sites that compile."""
    if not self.is_as_built:
      self.schemata.prepare()
    wanted = {str(site.number): site.key for site in sites}
    sources = {str(path.relative_to(self.schemata.repository)): path.read_text()
               for path in (self.schemata.repository / "Sources/Defaults").rglob("*.swift")}
    fingerprint = [hash_of(json.dumps(sources, sort_keys=True)), wanted]
    if self.state.get("fingerprint") == fingerprint:
      alive = set(self.state["compiled"])
      compiled = [site for site in sites if site.number in alive]
      self.schemata.apply(compiled)
      return compiled
    compiled = self.schemata.settle(sites, self.say)
    self.state["fingerprint"] = fingerprint
    self.state["compiled"] = [site.number for site in compiled]
    self.suites.clear()
    self.save()
    self.say(f"{len(compiled)} of {len(sites)} mutations compile")
    return compiled

  # Running tests

  def binary(self):
    return self.copy / ".build/debug/DefaultsPackageTests.xctest"

  def test(self, suites, limit, mutant=0, trace=None):
    """Runs suites until the first failure. Returns None if all passed, or else the failure."""
    pattern = r"^\w+\.(" + "|".join(suites) + ")(/|$)"
    home = self.copy.parent / (self.copy.name + ".home")
    home.mkdir(exist_ok=True)
    environment = dict(os.environ, DEFAULTS_MUTANT=str(mutant), HOME=str(home),
                       XDG_CONFIG_HOME=str(home), SWIFT_BACKTRACE="enable=no")
    if trace:
      environment["DEFAULTS_MUTANT_TRACE"] = str(trace)
    process = subprocess.Popen(
      [str(self.binary()), "--testing-library", "swift-testing", "--filter", pattern],
      stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
      env=environment, cwd=self.copy, start_new_session=True, text=True, errors="replace")
    late = threading.Event()

    def end():
      try:
        os.killpg(process.pid, signal.SIGKILL)
      except ProcessLookupError:
        pass

    def give_up():
      late.set()
      end()

    timer = threading.Timer(limit, give_up)
    timer.start()
    with self.lock:
      self.running.add(process.pid)
    failure, last, reason = None, "", ""
    try:
      for line in process.stdout:
        line = COLOR.sub("", line)
        match = FAILURE.search(line)
        if match:
          failure = ("test", match[1], match[2])
          break
        last = line.strip() or last
        if "Fatal error" in line or "✘" in line:
          reason = line.strip()
    finally:
      timer.cancel()
      end()
      process.wait()
      with self.lock:
        self.running.discard(process.pid)
    if failure:
      return failure
    if late.is_set():
      return ("time", f"timeout of {limit:.0f} s", None)
    if process.returncode != 0 and not re.search(r"Test run with .* passed", last):
      return ("crash", f"crash, status {process.returncode}: {(reason or last)[:120]}", None)
    return None

  def survey(self):
    """Records the sites that each suite reaches, and the time that it takes."""
    listing = subprocess.run(
      [str(self.binary()), "--testing-library", "swift-testing", "--list-tests"],
      capture_output=True, text=True, cwd=self.copy).stdout
    names = sorted(set(re.findall(r"^\w+Tests\.(\w+)/", listing, re.M)))
    homes = {}
    for path in (self.copy / "Tests").glob("*Tests/**/*.swift"):
      for name in re.findall(r"^(?:\w+ )*(?:struct|class|actor|enum|extension) (\w+)",
                             path.read_text(), re.M):
        homes.setdefault(name, (path.parent.name, set()))[1].add(path.name)
    stamp = hash_of("".join(sorted(
      str(path) + path.read_text() for path in (self.copy / "Tests").rglob("*.swift"))))
    if self.state.get("surveyed") == stamp and self.suites:
      return
    for name in [name for name in self.suites if name not in names]:
      del self.suites[name]

    def look(name):
      files = sorted(homes.get(name, ("", set()))[1])
      content = hash_of("".join(sorted(
        path.read_text() for path in (self.copy / "Tests").glob("*Tests/**/*.swift")
        if path.name in files)))
      if self.suites.get(name, {}).get("content") == content:
        return
      # Writable for all users, since some tests have children that change the user.
      trace = Path(tempfile.gettempdir()) / f"{self.copy.name.strip('.')}.trace.{name}"
      trace.write_text("")
      trace.chmod(0o666)
      begin = time.monotonic()
      failure = self.test([name], 600, trace=trace)
      seconds = time.monotonic() - begin
      if failure:
        self.say(f"{name} is skipped, since it fails without a mutation: {failure}")
      reached = sorted({int(line) for line in trace.read_text().split()})
      trace.unlink()
      with self.lock:
        self.suites[name] = {
          "seconds": seconds, "reached": reached, "passes": failure is None, "content": content,
          "folder": homes.get(name, ("", set()))[0], "files": files}
        self.save()

    self.say(f"running {len(names)} test suites without a mutation")
    with ThreadPoolExecutor(self.jobs) as pool:
      list(pool.map(look, names))
    self.state["surveyed"] = stamp
    self.save()

  def run(self, sites, again):
    if not self.is_as_built:
      self.schemata.build(self.say)
    self.survey()
    open_sites = [site for site in sites if site.key not in self.results
                  or (again and not self.results[site.key]["caught"])]
    self.say(f"running {len(open_sites)} mutations")
    with ThreadPoolExecutor(self.jobs) as pool:
      list(pool.map(self.judge, open_sites))

  def judge(self, site):
    begin = time.monotonic()
    caught, by = self.verdict(site)
    seconds = time.monotonic() - begin
    with self.lock:
      self.results[site.key] = {"caught": caught, "by": by, "seconds": round(seconds, 1)}
      self.save()
    self.say(f"{site.number:>5} {'caught  ' if caught else 'SURVIVED'} {seconds:5.0f} s  "
             f"{site.path.split('/')[-1]}:{site.line} {site.operator}: {by}")

  def verdict(self, site):
    reaching = {name: suite for name, suite in self.suites.items()
                if site.number in suite["reached"] and suite["passes"]}
    if not reaching:
      return False, "no test reaches it"
    near = [name for name, suite in reaching.items()
            if suite["folder"] in FOLDERS[site.folder] and suite["seconds"] < SLOW]
    fastest = [name for name in near if reaching[name]["seconds"] < FAST]
    slow = [name for name, suite in reaching.items() if suite["seconds"] >= SLOW]
    rest = [name for name in reaching if name not in near and name not in slow]
    others = [name for name in near if name not in fastest]
    for suites in (fastest, others, rest) if self.is_quick else (fastest, others, rest, slow):
      if not suites:
        continue
      limit = 30 + 3 * sum(reaching[name]["seconds"] for name in suites)
      failure = self.test(suites, limit, site.number)
      if failure and (suites in (rest, slow) or failure[0] == "time"):
        suspects = [name for name in suites if failure[2] in reaching[name]["files"]] or suites
        if failure[0] == "time":
          # A slow run may be a coincidence, so only a second timeout counts.
          if not self.test(suspects, limit * 1.5, site.number):
            continue
        elif self.test(suspects, limit * 1.5):
          continue
      if failure:
        return True, failure[1]
    return False, f"{len(reaching)} test suites reach it and pass"


def hash_of(text):
  return hashlib.sha256(text.encode()).hexdigest()
