#!/usr/bin/env python3
"""Breaks the library on purpose with small mutations, and finds out which ones the tests detect.

    Tests/MutationTesting/mutants.py --copy /tmp/mutants             select, build, run, and list survivors
    Tests/MutationTesting/mutants.py --copy /tmp/mutants --list      list the selection and the results
    Tests/MutationTesting/mutants.py --copy /tmp/mutants --only 17,23
    Tests/MutationTesting/mutants.py --folders Keys,Transfer --count 200 --seed 7 --copy /tmp/mutants
    Tests/MutationTesting/mutants.py --self-check                    takes seconds, without a compiler

`--copy` names a folder outside of the repository for a copy of the package, in which all mutations
are compiled in and selected by `DEFAULTS_MUTANT` (`schemata.py`). The results are next to it, so that
an interrupted run can continue. `--fresh` discards them. `--retry` runs survivors again, for example
after adding tests.

Operators (`mutation_operators.py`): negate a condition, drop a statement, off by one, swap two
calls, swallow an error, return early. A seed selects equally many for each folder, evenly from all
operators and files. A mutation that doesn't compile is replaced by the next one. `runner.py` defines
when a mutation counts as caught, and `explained.py` lists those that no test can detect.
"""

import argparse
import random
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from explained import EXPLAINED, explanation, fits
from mutation_operators import sites as sites_of
from runner import Runner
from schemata import Schemata, rewrite
from swift_source import SwiftSource

# Mutations that once survived a manual try. They are part of every run, whatever the seed.
# (end of the file's path, operator, code before, the beginning of the code after), as in
# `explained.py`
ALWAYS = [
  ("MigrationPlan.swift", "negate", "step.version > old", "true ||"),
  ("MigrationPlan.swift", "off by one", "step.version > old", ""),
  ("FileState+Appending.swift", "drop", "exports.hasDuty = true", ""),
  ("DecodedSlot.swift", "negate", "copyGeneration < newGeneration", "true ||"),
  ("FileReplacement.swift", "swallow", "try replacement.synchronizeFolder()", ""),
  ("FileReplacement.swift", "swallow", "try target.fileSystem.synchronizeFolder", ""),
]
FOLDERS = [
  "Files", "PropertyListSuite", "Suites", "Keys", "Observation", "Codings", "Transfer", "Formats"]


def say(text):
  print(text, flush=True)


def is_always(site):
  return any(fits((*entry, None), site) for entry in ALWAYS)


def all_sites(repository, folder):
  result, counts = [], {}
  for path in sorted((repository / "Sources/Defaults" / folder).rglob("*.swift")):
    text = path.read_text()
    for site in sites_of(SwiftSource(text)):
      site.path, site.folder = str(path.relative_to(repository)), folder
      site.line_text = text.splitlines()[site.line - 1]
      counts[site.name] = site.occurrence = counts.get(site.name, 0) + 1
      result.append(site)
  return result


def ordered(sites, seed):
  """Random order in which every prefix of the list contains all operators and files."""
  chance = random.Random(seed)
  chance.shuffle(sites)
  rank, keys = {}, {}
  for site in sites:
    same_file = rank[site.operator, site.path] = rank.get((site.operator, site.path), 0) + 1
    keys[id(site)] = (same_file, chance.random())
  sites.sort(key=lambda site: keys[id(site)])
  # Alternate between the operators that have sites left.
  turn, turns = {}, {}
  for site in sites:
    turn[site.operator] = turn.get(site.operator, 0) + 1
    turns[id(site)] = (turn[site.operator], site.operator)
  return sorted(sites, key=lambda site: turns[id(site)])


def candidates(repository, count, seed):
  """More sites than requested, since not all compile. Each keeps its number in all later runs."""
  result = []
  each = -(-count // len(FOLDERS))
  for folder in FOLDERS:
    chosen = ordered(all_sites(repository, folder), f"{seed} {folder}")
    first = 1 + 1_000 * FOLDERS.index(folder)
    head, rest = chosen[:each * 2], chosen[each * 2:]
    for number, site in enumerate(head + [site for site in rest if is_always(site)], first):
      site.number = number
      result.append(site)
  return result, each


def chosen(compiled, folders, each):
  result = []
  for folder in folders:
    mine = [site for site in compiled if site.folder == folder]
    result += mine[:each] + [site for site in mine[each:] if is_always(site)]
  return result


def table(sites, results):
  say("")
  say(f"{'folder':<14}{'mutations':>10}{'caught':>8}{'explained':>11}{'survived':>10}")
  rows, survivors = [], []
  for folder in FOLDERS:
    mine = [site for site in sites if site.folder == folder and site.key in results]
    if not mine:
      continue
    caught = sum(results[site.key]["caught"] for site in mine)
    explained = 0
    for site in mine:
      if not results[site.key]["caught"]:
        if explanation(site):
          explained += 1
        else:
          survivors.append(site)
    rows.append((folder, len(mine), caught, explained, len(mine) - caught - explained))
  total = ["all"] + [sum(row[column] for row in rows) for column in range(1, 5)]
  for row in rows + [total]:
    say(f"{row[0]:<14}{row[1]:>10}{row[2]:>8}{row[3]:>11}{row[4]:>10}")
  if total[1]:
    say(f"{100 * total[2] / total[1]:.1f} % caught")
  return survivors


def describe(site, result=None):
  say(f"{site.number:>5} {site.path}:{site.line} {site.operator}")
  say(f"        {site.before}")
  say(f"     -> {site.after}")
  if result:
    say(f"        {'caught by ' if result['caught'] else 'SURVIVED: '}{result['by']}")
    if not result["caught"] and explanation(site):
      say(f"        explained: {explanation(site)}")


def self_check():
  text = '''struct Sample {
  func run(_ list: [Int]) throws -> Bool? {
    guard list.count < 3, !list.isEmpty else { return nil }
    try save(list)
    log("\\(list.map { "<\\($0)>" })")
    for item in list where item > 1 { total += item }
    return first && second
  }
}
'''
  sites = sites_of(SwiftSource(text))
  for number, site in enumerate(sites, 1):
    site.number, site.path = number, "Sample.swift"
  found = {(site.operator, site.before) for site in sites}
  wanted = {
    ("negate", "list.count < 3"), ("negate", "!list.isEmpty"), ("negate", "second"),
    ("negate", "item > 1"), ("off by one", "list.count < 3"), ("off by one", "3"),
    ("swallow", "try save(list)"), ("drop", "total += item"), ("return early", "for … { … }"),
    ("swap", 'try save(list) ; log("\\(list.map { "<\\($0)>" })")'),
  }
  missing = wanted - found
  if missing:
    raise SystemExit(f"not found: {missing} in {found}")
  result, spans = rewrite(text, sites)
  if result.count("\n") != text.count("\n"):
    raise SystemExit("the number of lines has changed")
  for opening, closing in ("()", "{}", "[]"):
    if result.count(opening) != result.count(closing):
      raise SystemExit("unbalanced brackets:\n" + result)
  for site in sites:
    start, end = spans[site.number]
    if str(site.number) not in result.encode()[start:end].decode():
      raise SystemExit(f"the span of {site.number} is wrong")
  repository = Path(__file__).resolve().parents[2]
  everywhere = [site for folder in FOLDERS for site in all_sites(repository, folder)]
  gone = [entry for entry in EXPLAINED + [(*entry, None) for entry in ALWAYS]
          if not any(fits(entry, site) for site in everywhere)]
  if gone:
    raise SystemExit(f"entries for code that isn't there: {gone}")
  say(f"{len(sites)} mutations of a sample, all as expected")


def main():
  parser = argparse.ArgumentParser(
    description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
  parser.add_argument("--copy", type=Path, help="the folder for the copy and the results")
  parser.add_argument("--folders", default=",".join(FOLDERS), help="only run mutations of these folders")
  parser.add_argument("--count", type=int, default=200, help="how many mutations in all eight folders")
  parser.add_argument("--seed", default="1")
  parser.add_argument("--only", default="", help="numbers of mutations, separated by commas")
  parser.add_argument("--jobs", type=int, default=1, help="the number of parallel runs")
  parser.add_argument("--list", action="store_true", help="list mutations and results without running")
  parser.add_argument("--retry", action="store_true", help="run survivors again")
  parser.add_argument("--as-built", action="store_true", help="use the tests of the last build")
  parser.add_argument("--quick", action="store_true", help="skip tests that take 8 s or more")
  parser.add_argument("--fresh", action="store_true", help="discard earlier results")
  parser.add_argument("--self-check", action="store_true")
  options = parser.parse_args()
  if options.self_check:
    return self_check()
  if options.copy is None:
    parser.error("--copy is required")
  repository = Path(__file__).resolve().parents[2]
  folders = options.folders.split(",")
  sites, each = candidates(repository, options.count, options.seed)
  for site in sites:
    site.key = f"{site.name}|{site.occurrence}"
  runner = Runner(Schemata(repository, options.copy), say, options.jobs, options.as_built,
                  options.quick)
  compiled = runner.compile(sites)
  selected = chosen(compiled, folders, each)
  if options.only:
    wanted = {int(number) for number in options.only.split(",")}
    selected = [site for site in compiled if site.number in wanted]
  if options.fresh:
    runner.forget(selected)
  if not options.list:
    runner.run(selected, again=options.retry or bool(options.only))
  results = runner.results
  if options.list or options.only:
    for site in selected:
      describe(site, results.get(site.key))
  survivors = table(selected, results)
  if not options.list and not options.only:
    for site in selected:
      if site.key in results and not results[site.key]["caught"] and explanation(site):
        describe(site, results[site.key])
    say("\nSurvivors:" if survivors else "\nNo survivors.")
    for site in survivors:
      describe(site, results[site.key])
  return bool(survivors)


if __name__ == "__main__":
  sys.exit(main())
