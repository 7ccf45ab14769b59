"""The mutations: the sites of a file, each with one change.

A site is a list of insertions and replacements, so that the original and the mutated code are both
compiled. One of them is selected at run time (`schemata.py`).
"""

import re

COMPARISONS = {"<": "Less", "<=": "LessOrEqual", ">": "Greater", ">=": "GreaterOrEqual"}
FLIPPED = {"<": "<=", "<=": "<", ">": ">=", ">=": ">"}
ASSIGNMENTS = {"=", "+=", "-=", "*=", "|=", "&=", "^="}
LEFT_EDGES = {"return", "if", "guard", "while", "where", "in", "else", "try", "await", "throw",
              "case", "let", "var"}


class Site:
  """One mutation. `edits` are (start, end, text); an insertion has equal start and end."""

  def __init__(self, operator, source, first, last, edits, before, after):
    self.operator = operator
    self.start, self.end = source.tokens[first].start, source.tokens[last].end
    self.line = source.tokens[first].line
    self.edits = edits
    self.before, self.after = short(before), short(after)
    self.path = self.folder = None
    self.number = 0

  @property
  def name(self):
    """A name that doesn't depend on line numbers."""
    return f"{self.path}|{self.operator}|{self.before}|{self.after}"


def short(text):
  text = " ".join(text.split())
  return text if len(text) <= 110 else text[:107] + "..."


class Operators:
  """Finds the sites of a file. `{n}` in an edit stands for the number of its mutation."""

  def __init__(self, source):
    self.source, self.tokens, self.sites = source, source.tokens, []
    self.code_of = lambda first, last: source.text[self.tokens[first].start:self.tokens[last].end]
    for condition in source.conditions:
      self.negate(*condition)
      self.constant(*condition)
    for block in source.blocks:
      self.block(block)
    for index, token in enumerate(self.tokens):
      if token.is_code:
        self.expression(index, token)

  def add(self, operator, first, last, edits, before, after):
    self.sites.append(Site(operator, self.source, first, last, edits, before, after))

  def wrap(self, operator, first, last, prefix, suffix, after):
    start, end = self.tokens[first].start, self.tokens[last].end
    self.add(operator, first, last, [(start, start, prefix), (end, end, suffix)],
             self.code_of(first, last), after)

  def negate(self, first, last):
    code = self.code_of(first, last)
    self.wrap("negate", first, last, "mutantNegated({n}, ", ")", f"!({code})")

  def constant(self, first, last):
    """Replaces a condition by true and by false."""
    code = self.code_of(first, last)
    self.wrap("negate", first, last, "(isMutant({n}) || (", "))", f"true || {code}")
    self.wrap("negate", first, last, "(!isMutant({n}) && (", "))", f"false && {code}")

  # Statements

  def block(self, block):
    statements = block.statements
    is_function = block.kind == "function"
    for first, last in statements:
      if not (block.result or "").startswith("init") or self.tokens[first].text != "self":
        self.drop(first, last)
    for one, two in zip(statements, statements[1:]):
      self.swap(one, two)
    if is_function and statements:
      self.return_early(block)
    if block.kind == "for" and statements:
      end = self.tokens[self.tokens[block.opening].pair].start
      first, last = statements[0][0], statements[-1][1]
      self.add("return early", first, last, [(end, end, " ; if isMutant({n}) {{ break }} ")],
               "for … { … }", "for … { …; break }")
    if block.kind == "catch" and statements:
      first, last = statements[0][0], statements[-1][1]
      self.wrap("swallow", first, last, "if !isMutant({n}) {{ ", " }}",
                "/* catch and ignore */")

  def is_simple(self, first, last):
    """Whether the statement is a call or an assignment."""
    token = self.tokens[first]
    if token.kind != "name" and token.text not in ("(", "."):
      return False
    if token.text in ("let", "var", "func", "if", "guard", "while", "for", "switch", "do", "defer",
                      "repeat", "return", "throw", "break", "continue", "fallthrough", "struct",
                      "enum", "class", "typealias") or token.text[0] in "#@":
      return False
    texts = [self.tokens[i].text for i in range(first, last + 1)]
    return self.tokens[last].text in (")", "}") or bool(ASSIGNMENTS.intersection(texts))

  def is_call(self, first, last):
    texts = [self.tokens[i].text for i in range(first, last + 1)]
    return self.is_simple(first, last) and ("(" in texts or "{" in texts)

  def drop(self, first, last):
    text = self.tokens[first].text
    if text == "break" and self.tokens[first - 1].text == ":":
      return  # the only statement of a case
    if self.is_simple(first, last) or text in ("throw", "break", "continue"):
      self.wrap("drop", first, last, "if !isMutant({n}) {{ ", " }}", "/* dropped */")
    if text == "try" and self.tokens[first + 1].text not in ("?", "!"):
      self.wrap("swallow", first, last, "do {{ ", " }} catch {{ if !isMutant({n}) {{ throw error }} }}",
                "try? " + self.code_of(first + 1, last))

  def swap(self, one, two):
    if not (self.is_call(*one) and self.is_call(*two)):
      return
    second = self.code_of(*two)
    if "\n" in second:
      return
    escaped = second.replace("{", "{{").replace("}", "}}")
    (first, end), (low, high) = one, two
    start, finish = self.tokens[low].start, self.tokens[high].end
    self.add("swap", first, high, [
      (self.tokens[first].start,) * 2 + ("if isMutant({n}) {{ " + escaped + " }} ; ",),
      (start, start, "if !isMutant({n}) {{ "), (finish, finish, " }}"),
    ], self.code_of(first, end) + " ; " + second, second + " ; " + self.code_of(first, end))

  def return_early(self, block):
    first, last = block.statements[0][0], block.statements[-1][1]
    result = block.result
    values = {"Void": [""], "Bool": [" true", " false"], "init?": [" nil"], "init": []}.get(result)
    if values is None:
      values = [" nil"] if result.endswith("?") else []
    is_only = len(block.statements) == 1
    keyword = self.tokens[first].text
    is_implicit = is_only and result not in ("Void", "init?") and keyword != "return"
    if is_implicit and keyword in ("if", "switch", "do", "while", "for", "guard"):
      return
    for value in values:
      start = self.tokens[first].start
      text = f"if isMutant({{n}}) {{{{ return{value} }}}} ; " + ("return " if is_implicit else "")
      self.add("return early", first, last, [(start, start, text)],
               self.code_of(*block.statements[0]), f"return{value} ; …")
    if result == "Void":
      for low, high in block.statements[1:]:
        if high == last and self.is_simple(low, high):
          continue  # same as dropping the statement
        start = self.tokens[low].start
        self.add("return early", low, high, [(start, start, "if isMutant({n}) {{ return }} ; ")],
                 self.code_of(low, high), "return ; …")

  # Expressions

  def expression(self, index, token):
    if token.kind == "operator":
      if token.text in COMPARISONS and self.is_spaced(index):
        self.comparison(index, token)
      elif token.text in ("&&", "||"):
        self.logical(index)
      elif token.text == "..<":
        self.range(index)
    elif token.kind == "number" and re.fullmatch(r"[\d_]+", token.text):
      if self.tokens[index - 1].text != ".":
        self.wrap("off by one", index, index, "mutantOffByOne({n}, ", ")", token.text + " + 1")
    elif token.kind == "name" and token.text in ("true", "false"):
      self.wrap("negate", index, index, "mutantNegated({n}, ", ")", "!" + token.text)

  def is_spaced(self, index):
    token, text = self.tokens[index], self.source.text
    return text[token.start - 1].isspace() and text[token.end].isspace()

  def left(self, index, edges):
    """The first token of the left operand."""
    at = index - 1
    while True:
      token = self.tokens[at]
      if token.text in ")]}" and token.pair is not None:
        at = token.pair
      if at in self.source.starts:
        return at
      before = self.tokens[at - 1]
      if before.text in "([{,:;" or before.text in LEFT_EDGES or before.text in edges:
        return at
      if before.text in ASSIGNMENTS or (before.text == "?" and self.is_spaced(at - 1)):
        return at
      if before.text == "?" and self.tokens[at - 2].text == "try":
        return at
      at -= 1

  def right(self, index, edges):
    """The last token of the right operand."""
    at = index + 1
    while True:
      token = self.tokens[at]
      if token.text in "([{" and token.pair is not None:
        at = token.pair
      after = self.tokens[at + 1] if at + 1 < len(self.tokens) else None
      if after is None or at + 1 in self.source.starts or after.text in ")]},;:":
        return at
      if after.text in edges or after.text in ("else", "where") or after.text in ASSIGNMENTS:
        return at
      if after.text == "?" and self.is_spaced(at + 1):
        return at
      if after.text == "{" and at + 1 in self.source.block_braces:
        return at
      at += 1

  def comparison(self, index, token):
    edges = ("&&", "||")
    first, last = self.left(index, edges), self.right(index, edges)
    start, end = self.tokens[first].start, self.tokens[last].end
    before = self.code_of(first, last)
    after = (self.code_of(first, index - 1) + f" {FLIPPED[token.text]} "
             + self.code_of(index + 1, last))
    self.add("off by one", first, last, [
      (start, start, f"mutant{COMPARISONS[token.text]}({{n}}, "),
      (token.start - 1, token.end, ","), (end, end, ")"),
    ], before, after)

  def logical(self, index):
    edges = ("&&", "||")
    self.negate(self.left(index, edges), index - 1)
    self.negate(index + 1, self.right(index, edges))

  def range(self, index):
    """Subtracts one from the end of a half-open range."""
    last = index + 1
    while last + 1 < len(self.tokens):
      text = self.tokens[last].text
      if text in "([":
        last = self.tokens[last].pair
      after = self.tokens[last + 1]
      if after.text in ("(", "[") and after.start == self.tokens[last].end:
        last += 1
      elif after.text in (".", "!") or self.tokens[last].text == ".":
        last += 1
      else:
        break
    if self.tokens[index + 1].text in ")],":
      return
    self.wrap("off by one", index + 1, last, "mutantOneLess({n}, ", ")",
              self.code_of(index + 1, last) + " - 1")


def sites(source):
  found, seen = [], set()
  for site in Operators(source).sites:
    key = (site.operator, site.start, site.end, tuple(site.edits))
    if key not in seen:
      seen.add(key)
      found.append(site)
  return found
