import Foundation

extension Python {
  /// A parser of JSON with comments that shares no code with this library. It compares texts before
  /// and after an edit token by token: nothing may change but the edited elements, the comments
  /// that belong to removed ones, and commas and white space next to those.
  ///
  /// Each line of its input is an array: the text before, the text after, and the entries that were
  /// meant. It prints a line for each mistake.
  static let jsoncJudge = #"""
    import json, re, sys
    TOKEN = re.compile(r'(?P<space>[ \t\r\n]+)|(?P<comment>//[^\r\n]*|/\*.*?\*/)|'
                       r'(?P<string>"(?:[^"\\]|\\.)*")|(?P<mark>[{}\[\]:,])|(?P<word>[^\s{}\[\]:,"/]+)', re.S)

    class Wrong(Exception): pass

    class Text:
      def __init__(self, text):
        self.mark = text.startswith('\ufeff')
        self.tokens, at = [], int(self.mark)
        while at < len(text):
          found = TOKEN.match(text, at)
          if not found: raise Wrong(f'no token at {at}')
          self.tokens.append((found.lastgroup, found.group()))
          at = found.end()
        self.at = 0
        self.root = self.value()
        self.skip()
        if self.at != len(self.tokens): raise Wrong('more after the object')

      def skip(self):
        while self.at < len(self.tokens) and self.tokens[self.at][0] in ('space', 'comment'): self.at += 1

      def take(self, text):
        if self.tokens[self.at][1] != text: raise Wrong(f'{text} expected, not {self.tokens[self.at]}')
        self.at += 1

      # A value: (kind, first token, last token, content, whether a comma follows the last element).
      def value(self):
        self.skip()
        kind, text = self.tokens[self.at]
        first = self.at
        if text in '{[':
          close, items, comma = '}' if text == '{' else ']', [], False
          self.at += 1
          self.skip()
          while self.tokens[self.at][1] != close:
            name, start = None, self.at
            if close == '}':
              if self.tokens[self.at][0] != 'string': raise Wrong('a name expected')
              name = json.loads(self.tokens[self.at][1])
              self.at += 1
              self.skip(); self.take(':')
            item = self.value()
            items.append((name, start, item))
            self.skip()
            comma = self.tokens[self.at][1] == ','
            if not comma: break
            self.at += 1
            self.skip()
          self.take(close)
          kind = 'object' if close == '}' else 'array'
          if kind == 'object' and len(items) == 1 and items[0][0] in ('$date', '$data', '$real', '$integer'):
            kind = 'scalar'
          return (kind, first, self.at - 1, items, comma)
        self.at += 1
        if kind == 'word' and text not in ('true', 'false'):
          content = float(text) if re.search('[.eE]', text) or text == '-0' else int(text)
        else:
          content = json.loads(text)
        return ('scalar', first, first, content, False)

    def plain(value):
      if isinstance(value[3], list):
        if value[0] == 'array': return [plain(item) for _, _, item in value[3]]
        if len(set(name for name, _, _ in value[3])) < len(value[3]): raise Wrong('a name twice')
        return {name: plain(item) for name, _, item in value[3]}
      return value[3]

    def same(a, b):
      if type(a) is not type(b): return False
      if isinstance(a, dict): return a.keys() == b.keys() and all(same(a[k], b[k]) for k in a)
      if isinstance(a, list): return len(a) == len(b) and all(map(same, a, b))
      return a == b and (type(a) is not float or repr(a) == repr(b))

    def breaks(text): return len(re.findall('\r\n|\r|\n', text))

    # The tokens that a removed element takes with it.
    def owned(tokens, first, last):
      taken = set(range(first, last + 1))
      at, comments, behind = last + 1, [], None
      while tokens[at][0] == 'comment' or tokens[at][1] == ',' or tokens[at][0] == 'space' and not breaks(tokens[at][1]):
        if tokens[at][1] == ',':
          if behind is not None: break
          behind = len(comments)
        if tokens[at][0] == 'comment': comments.append(at)
        at += 1
      if not (tokens[at][0] == 'space' or tokens[at][1] in '}]'): comments = comments[:behind]
      taken.update(comments)
      at, above, line, here = first - 1, [], [], True
      while tokens[at][0] in ('comment', 'space'):
        if tokens[at][0] == 'space':
          count = breaks(tokens[at][1])
          if count: above += line; line = []; here = False
          if count > 1: break
        else: line.append(at)
        at -= 1
      # In the line of what precedes the element, a comment belongs to that if a line break follows.
      if here or tokens[at][0] == 'space': above += line
      taken.update(above)
      return taken

    # All ways in which as many elements as possible stay in their order: pairs of indices.
    def ways(old, new):
      length = [[0] * (len(new) + 1) for _ in range(len(old) + 1)]
      for i in reversed(range(len(old))):
        for j in reversed(range(len(new))):
          both = length[i + 1][j + 1] + 1 if same(old[i], new[j]) else 0
          length[i][j] = max(both, length[i + 1][j], length[i][j + 1])
      def rest(i, j):
        if length[i][j] == 0: yield []
        for p in range(i, len(old)):
          for q in range(j, len(new)):
            if length[p][q] == length[i][j] == length[p + 1][q + 1] + 1 and same(old[p], new[q]):
              for way in rest(p + 1, q + 1): yield [(p, q)] + way
      return rest(0, 0)

    class Judge:
      def __init__(self, before, after):
        self.before, self.after = before, after
        self.gone, self.new = set(), set()
        self.changed = ({}, {})
        self.compare(before.root, after.root, True)
        whole = [(None, 0, len(text.tokens) - 1) for text in (before, after)]
        self.agree(*whole)
        if before.mark != after.mark: raise Wrong('the byte order mark')

      # What remains of two values must be the same.
      def agree(self, a, b):
        one = self.kept(self.before, self.gone, self.changed[0], a)
        other = self.kept(self.after, self.new, self.changed[1], b)
        for (a, _, _), (b, _, _) in zip(one, other):
          if a != b: raise Wrong(f'{a!r} became {b!r}')
        if len(one) != len(other): raise Wrong(f'lost or new: {[t[0] for t in (one + other)[-3:]]}')
        for (a, aspace, aclean), (b, bspace, bclean) in zip(one, other):
          if aclean and bclean and aspace != bspace: raise Wrong(f'the space before {a!r} became {bspace!r}')

      # The tokens of a value that remain, each with the space before it, and whether nothing was dropped there.
      def kept(self, text, dropped, changed, value):
        result, space, clean, at = [], '', True, value[1]
        while at <= value[2]:
          kind, content = text.tokens[at]
          if at in changed:
            result.append(('VALUE', space, clean))
            space, clean, at = '', True, changed[at] + 1
            continue
          if at in dropped: clean = False
          elif kind == 'space': space += content
          elif content != ',':
            result.append((content, space, clean))
            space, clean = '', True
          at += 1
        return result + [('END', space, clean)]

      def remove(self, item): self.gone |= owned(self.before.tokens, item[1], item[2][2])

      def add(self, item, isRoot):
        tokens, at = self.after.tokens, item[1] - 1
        self.new.update(range(item[1], item[2][2] + 1))
        if item[0] is None: return
        text = '// ' + 'about ' + (item[0][1:] if item[0].startswith('$') else item[0])
        lines = breaks(tokens[at][1]) if tokens[at][0] == 'space' else 0
        if isRoot and lines:
          if tokens[at - 1][1].strip() != text.strip(): raise Wrong(f'{tokens[at - 1][1]!r} instead of {text!r}')
          self.new.add(at - 1)

      def compare(self, a, b, isRoot=False):
        if a[0] != b[0] or a[0] == 'scalar':
          if same(plain(a), plain(b)):
            texts = [''.join(t[1] for t in text.tokens[v[1]:v[2] + 1]) for text, v in ((self.before, a), (self.after, b))]
            if texts[0] != texts[1]: raise Wrong(f'{texts[0]} became {texts[1]}')
          else:
            self.changed[0][a[1]] = a[2]
            self.changed[1][b[1]] = b[2]
          return
        if a[3] and b[3] and a[4] != b[4]: raise Wrong('the comma after the last element')
        if a[0] == 'object':
          names = ({item[0] for item in a[3]}, {item[0] for item in b[3]})
          for item in a[3]:
            if item[0] not in names[1]: self.remove(item)
          for item in b[3]:
            if item[0] not in names[0]: self.add(item, isRoot)
          pairs = zip([i for i in a[3] if i[0] in names[1]], [i for i in b[3] if i[0] in names[0]])
          for one, other in pairs:
            if one[0] != other[0]: raise Wrong(f'{one[0]} and {other[0]} changed places')
            self.compare(one[2], other[2])
          return
        # As many elements as possible stay in their order, each with its text and its comments. The
        # elements between them are changed in place from the first on, or are removed or added.
        old, new = [plain(i[2]) for i in a[3]], [plain(i[2]) for i in b[3]]
        failure = None
        for way in ways(old, new):
          state = set(self.gone), set(self.new), (dict(self.changed[0]), dict(self.changed[1]))
          try:
            i = j = 0
            for p, q in way + [(len(old), len(new))]:
              common = min(p - i, q - j)
              for k in range(common): self.compare(a[3][i + k][2], b[3][j + k][2])
              for item in a[3][i + common:p]: self.remove(item)
              for item in b[3][j + common:q]: self.add(item, False)
              if p < len(old): self.compare(a[3][p][2], b[3][q][2])
              i, j = p + 1, q + 1
            return self.agree(a, b)
          except Wrong as error:
            failure = failure or error
            self.gone, self.new, self.changed = state
        raise failure

    with open(sys.argv[1], encoding='utf-8') as file:
      for number, line in enumerate(file):
        before, after, meant = json.loads(line)
        try:
          one, other = Text(before), Text(after)
          values = plain(other.root)
          values.pop('$schema', None)
          if not same(values, meant): raise Wrong('other values')
          Judge(one, other)
        except Wrong as error:
          print(json.dumps([number, str(error), before, after, meant]))
    """#
}
