"""A Swift file as tokens, statements and conditions: the part of the grammar needed for mutations.

Requires code formatted for `swift format lint --strict` (two spaces, spaces around binary operators).
A mutation of misparsed code doesn't compile, and is dropped.
"""

import re

TRUE_CONDITIONS = {"canImport(Glibc)", "os(Linux)", "canImport(FoundationEssentials)"}
TOKEN = re.compile(
  r"(?P<name>[@#]?[A-Za-z_]\w*|`\w+`|\$\d+)"
  r"|(?P<number>0[xob][0-9A-Fa-f_.p]+|\d[\d_]*(?:\.\d[\d_]*)?)"
  r"|(?P<operator>\.\.[.<]|[-+*/=<>!&|^~?%]+|\.)"
  r"|(?P<mark>[()\[\]{},:;\\])")
CLOSING = {")": "(", "]": "[", "}": "{"}


class Token:
  __slots__ = ("kind", "text", "start", "end", "line", "column", "is_first", "pair", "is_code")

  def __init__(self, kind, text, start, line, column, is_first):
    self.kind, self.text, self.start, self.end = kind, text, start, start + len(text)
    self.line, self.column, self.is_first = line, column, is_first
    self.pair = None
    self.is_code = False


class Block:
  """Statements in braces. `kind` is function, closure, case, or the keyword before the brace."""

  def __init__(self, kind, opening, result, statements):
    self.kind, self.opening, self.result, self.statements = kind, opening, result, statements


def string_end(text, start):
  """The end of the string literal that begins here, including interpolations."""
  hashes = 0
  while text[start + hashes] == "#":
    hashes += 1
  at = start + hashes
  quote = '"""' if text.startswith('"""', at) else '"'
  at += len(quote)
  escape, close = "\\" + "#" * hashes, quote + "#" * hashes
  while at < len(text):
    if text.startswith(close, at):
      return at + len(close)
    if text.startswith(escape, at):
      at += len(escape)
      if text[at] == "(":
        depth = 0
        while True:
          if text[at] == '"':
            at = string_end(text, at)
            continue
          depth += {"(": 1, ")": -1}.get(text[at], 0)
          at += 1
          if depth == 0:
            break
      else:
        at += 1
    else:
      at += 1
  raise ValueError("a string literal without an end")


def is_true(condition):
  parts = re.sub(r"\w+\([\w.]*\)|\b[A-Z]\w*\b", lambda m: str(m[0] in TRUE_CONDITIONS), condition)
  parts = parts.replace("&&", " and ").replace("||", " or ").replace("!", " not ")
  try:
    return bool(eval(parts.strip(), {}, {}))
  except Exception:
    return False


class SwiftSource:
  def __init__(self, text):
    self.text = text
    self.tokens = []
    self.blocks = []
    self.conditions = []  # (first, last) token of a clause that is an expression
    self.block_braces = set()  # opening braces of blocks, not of closures
    self.starts = set()  # the first tokens of statements
    self.inactive, self.nesting = self.directives()
    self.tokenize()
    self.declarations(0, len(self.tokens))

  # The lines excluded by conditional compilation, and the indentation of the others.

  def directives(self):
    inactive, nesting, stack = set(), {}, []
    for number, line in enumerate(self.text.split("\n"), 1):
      match = re.match(r"\s*#(if|elseif|else|endif)\b(.*)", line)
      if match:
        word, condition = match[1], match[2].strip()
        if word == "if":
          holds = is_true(condition)
          stack.append([holds, holds])
        elif word == "endif":
          stack.pop()
        else:
          holds = not stack[-1][1] and (word == "else" or is_true(condition))
          stack[-1] = [holds, stack[-1][1] or holds]
        inactive.add(number)
      elif not all(holds for holds, _ in stack):
        inactive.add(number)
      nesting[number] = len(stack)
    return inactive, nesting

  def tokenize(self):
    text, at, line, line_start, stack, is_first = self.text, 0, 1, 0, [], True
    while at < len(text):
      character = text[at]
      if character == "\n":
        at, line, is_first = at + 1, line + 1, True
        line_start = at
        continue
      if character.isspace():
        at += 1
        continue
      if line in self.inactive:
        at = text.find("\n", at) if "\n" in text[at:] else len(text)
        continue
      if text.startswith("//", at):
        at = text.find("\n", at) if "\n" in text[at:] else len(text)
        continue
      if text.startswith("/*", at):
        end = text.index("*/", at) + 2
        line += text.count("\n", at, end)
        at = end
        continue
      column = at - line_start - 2 * self.nesting.get(line, 0)
      if re.match(r'#*"', text[at:at + 4]):
        end = string_end(text, at)
        token = Token("string", text[at:end], at, line, column, is_first)
      else:
        match = TOKEN.match(text, at)
        if not match:
          at += 1
          continue
        token = Token(match.lastgroup, match[0], at, line, column, is_first)
      if token.text in CLOSING.values():
        stack.append(len(self.tokens))
      elif token.text in CLOSING and stack:
        token.pair = stack.pop()
        self.tokens[token.pair].pair = len(self.tokens)
      self.tokens.append(token)
      line += token.text.count("\n")
      at, is_first = token.end, False

  # The tree: declarations contain code blocks, which contain statements, which contain blocks.

  def split(self, low, high):
    """Splits the tokens of a range into statements or declarations by their indentation."""
    if low >= high:
      return []
    starts, column, index = [low], None, low
    tokens = self.tokens
    if tokens[low].is_first:
      column = tokens[low].column
    while index < high:
      token = tokens[index]
      if index > low:
        if tokens[index - 1].text == ";":
          starts.append(index)
        elif token.is_first and (column is None or token.column <= column):
          if token.text not in ("else", "catch", "{", "where") and token.kind != "operator":
            starts.append(index)
            column = token.column if column is None else column
      index = token.pair + 1 if token.text in "([{" and token.pair else index + 1
    ends = starts[1:] + [high]
    result = []
    for first, end in zip(starts, ends):
      last = end - 1
      if tokens[last].text == ";":
        last -= 1
      if last >= first:
        result.append((first, last))
    return result

  def declarations(self, low, high):
    for first, last in self.split(low, high):
      self.declaration(first, last)

  def declaration(self, first, last):
    tokens, index = self.tokens, first
    keyword = None
    while index <= last:
      text = tokens[index].text
      if text in ("func", "init", "deinit", "subscript", "var", "let", "struct", "enum", "actor",
                  "extension", "protocol", "case", "typealias", "import", "class"):
        if text == "class" and tokens[index + 1].text in ("func", "var"):
          index += 1
          continue
        keyword = text
        break
      index = tokens[index].pair + 1 if text == "(" else index + 1
    if keyword in ("struct", "enum", "actor", "extension", "class"):
      brace = self.brace(index, last)
      if brace is not None:
        self.declarations(brace + 1, tokens[brace].pair)
    elif keyword in ("func", "init", "deinit"):
      self.function(index, last)
    elif keyword in ("var", "let", "subscript"):
      self.variable(index, last)

  def brace(self, low, last):
    """The first opening brace outside of parentheses."""
    index = low
    while index <= last:
      token = self.tokens[index]
      if token.text == "{":
        return index
      index = token.pair + 1 if token.text in "([" and token.pair else index + 1
    return None

  def result(self, low, high):
    """The type after the arrow; Void without one."""
    index, arrow = low, None
    while index < high:
      token = self.tokens[index]
      if token.text == "->":
        arrow = index
      if token.text == "where" and arrow:
        high = index
      index = token.pair + 1 if token.text in "([" and token.pair else index + 1
    if arrow is None:
      return "Void"
    return self.text[self.tokens[arrow + 1].start:self.tokens[high - 1].end]

  def function(self, first, last):
    brace = self.brace(first, last)
    if brace is not None:
      result = self.result(first, brace)
      if self.tokens[first].text == "init":
        result = "init?" if self.tokens[first + 1].text == "?" else "init"
      self.code(brace, "function", result)

  def variable(self, first, last):
    tokens = self.tokens
    index, equals, brace = first, None, None
    while index <= last:
      token = tokens[index]
      if token.text == "=" and equals is None:
        equals = index
      if token.text == "{":
        brace = index
        break
      index = token.pair + 1 if token.text in "([" and token.pair else index + 1
    if equals is not None:
      self.region(equals + 1, last + 1)
    elif brace is not None:
      kind = tokens[first].text
      colon = next((i for i in range(first, brace) if tokens[i].text == ":"), None)
      result = self.result(first, brace) if kind == "subscript" else (
        self.text[tokens[colon + 1].start:tokens[brace - 1].end] if colon else "Void")
      self.block_braces.add(brace)
      if tokens[brace + 1].text in ("get", "set", "_read", "_modify", "willSet", "didSet",
                                    "mutating", "nonmutating"):
        for low, high in self.split(brace + 1, tokens[brace].pair):
          inner = self.brace(low, high)
          if inner is not None:
            names = [tokens[i].text for i in range(low, inner)]
            self.code(inner, "function", result if "get" in names else "Void")
      else:
        self.code(brace, "function", result)

  def code(self, brace, kind, result):
    """The statements of a block."""
    low, high = brace + 1, self.tokens[brace].pair
    if kind == "closure":
      low = self.behind_signature(low, high)
    else:
      self.block_braces.add(brace)
    statements = self.split(low, high)
    self.blocks.append(Block(kind, brace, result, statements))
    for first, last in statements:
      self.statement(first, last, result if kind != "closure" else None)

  def behind_signature(self, low, high):
    """The first statement of a closure, after its captures and parameters."""
    index = low
    while index < high and self.tokens[index].line <= self.tokens[low - 1].line + 3:
      token = self.tokens[index]
      if token.text == "in":
        return index + 1
      if token.kind == "string" or token.text in ("for", "return", "if", "try", "{", "=", "let"):
        return low
      index = token.pair + 1 if token.text in "([" and token.pair else index + 1
    return low

  def statement(self, first, last, result):
    self.starts.add(first)
    text = self.tokens[first].text
    if text in ("func", "struct", "class", "enum") or text.startswith("@"):
      self.declaration(first, last)
    else:
      self.region(first, last + 1, result)

  def region(self, low, high, result=None):
    """Marks code outside of declarations, and finds its blocks and conditions."""
    tokens, index, keyword = self.tokens, low, None
    while index < high:
      token = tokens[index]
      token.is_code = True
      if token.text in ("(", "["):
        self.region(index + 1, token.pair, None)
        index = token.pair + 1
        continue
      if token.text == "{":
        if keyword == "switch":
          self.block_braces.add(index)
          self.cases(index, result)
        elif keyword:
          self.code(index, keyword, result)
        else:
          self.code(index, "closure", None)
        index, keyword = token.pair + 1, None
        continue
      is_word = token.kind == "name" and (index == 0 or tokens[index - 1].text != ".")
      if is_word and token.text in ("if", "guard", "while", "switch", "for", "do", "catch", "else",
                                    "defer", "repeat"):
        keyword = token.text
        if keyword in ("if", "guard", "while"):
          self.clauses(index + 1, high)
      if is_word and token.text == "where" and keyword == "for":
        self.clauses(index + 1, high)
      index += 1

  def clauses(self, low, high):
    """The conditions of an if, guard or while, without bindings and patterns."""
    first, index = low, low
    while index <= high:
      token = self.tokens[index] if index < high else None
      if token is None or token.text in (",", "{", "else"):
        if index > first and self.tokens[first].text not in ("let", "var", "case", "#available"):
          self.conditions.append((first, index - 1))
        first = index + 1
        if token is None or token.text != ",":
          return
      index = token.pair + 1 if token.text in "([" and token.pair else index + 1

  def cases(self, brace, result):
    tokens, high = self.tokens, self.tokens[brace].pair
    labels = self.split(brace + 1, high)
    for first, last in labels:
      if tokens[first].text not in ("case", "default"):
        # The format prevents statements at the indentation of a case label.
        continue
      index = first
      while index <= last and tokens[index].text != ":":
        token = tokens[index]
        index = token.pair + 1 if token.text in "([{" and token.pair else index + 1
      statements = self.split(index + 1, last + 1)
      if statements:
        self.blocks.append(Block("case", index, result, statements))
      for low, end in statements:
        self.statement(low, end, result)
