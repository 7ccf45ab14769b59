"""Splits a Swift file into code, comments and string literals."""

import re

OPENING = re.compile(r'(#*)("""|")')


def split(text):
  """Yields (kind, start, end) in order; kind is "code", "comment" or "string".

  An interpolation is code. Literals of regular expressions count as code.
  """
  parts = []
  code(text, 0, parts, nested=False)
  return parts


def code(text, start, parts, nested):
  """Adds parts until the end, or until the parenthesis that ends an interpolation."""
  at, first, depth = start, start, 0

  def end_code():
    if first < at:
      parts.append(("code", first, at))

  while at < len(text):
    if text.startswith("//", at) or text.startswith("/*", at):
      end_code()
      mark, tail = ("\n", 0) if text[at + 1] == "/" else ("*/", 2)
      end = text.find(mark, at + 2)
      end = len(text) if end < 0 else end + tail
      parts.append(("comment", at, end))
      at = first = end
      continue
    opening = OPENING.match(text, at)
    if opening and (end := string(text, opening, parts_of_string := [])) is not None:
      end_code()
      parts.extend(parts_of_string)
      at = first = end
      continue
    if nested:
      depth += {"(": 1, ")": -1}.get(text[at], 0)
      if depth < 0:
        break
    at = opening.end() if opening else at + 1
  end_code()
  return at


def string(text, opening, parts):
  """The end of the literal, whose parts are added; None if it has none, as in a regex."""
  at = first = opening.start()
  hashes, quote = opening[1], opening[2]
  close, escape = quote + hashes, "\\" + hashes
  at = opening.end()
  while at < len(text):
    if text.startswith(close, at):
      at += len(close)
      parts.append(("string", first, at))
      return at
    if quote == '"' and text[at] == "\n":
      return None
    if text.startswith(escape, at):
      at += len(escape)
      if text[at:at + 1] == "(":
        parts.append(("string", first, at))
        at = code(text, at + 1, parts, nested=True)
        first = at
        continue
    at += 1
  return None
