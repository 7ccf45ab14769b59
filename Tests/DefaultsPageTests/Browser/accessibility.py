"""Checks of a page's accessibility in the browser: names, references, headings, contrast, sizes."""

SCRIPT = r"""
const problems = [];
const seen = e => e.checkVisibility({contentVisibilityAuto: false}) && e.getClientRects().length;
const label = e => `<${e.tagName.toLowerCase()}${e.id ? ' id=' + e.id : ''}>`;
const all = q => [...document.querySelectorAll(q)];

if (!document.documentElement.lang) problems.push('the page has no language');
if (!document.title) problems.push('the page has no title');
if (all('h1').length != 1) problems.push('the page needs one first heading');
if (all('main').length != 1) problems.push('the page needs one main landmark');
let level = 1;
for (const e of all('h1,h2,h3,h4')) {
  if (!seen(e)) continue;
  const own = +e.tagName[1];
  if (own > level + 1) problems.push(`${label(e)} skips a level of headings`);
  level = own;
}
const ids = all('[id]').map(e => e.id);
for (const id of new Set(ids.filter((id, i) => ids.indexOf(id) != i)))
  problems.push(`the id ${id} is there twice`);
for (const name of ['aria-describedby', 'aria-labelledby', 'for'])
  for (const e of all(`[${name}]`))
    for (const id of e.getAttribute(name).split(' '))
      if (!document.getElementById(id)) problems.push(`${label(e)} refers to ${id}`);
const names = {};
for (const e of all('input:not([type=hidden]),select,textarea,button')) {
  if (!seen(e)) continue;
  const name = e.getAttribute('aria-label') || [...e.labels || []].map(l => l.textContent).join(' ')
    || e.tagName == 'BUTTON' && e.textContent;
  if (!name || !name.trim()) problems.push(`${label(e)} has no name`);
  const box = e.getBoundingClientRect();
  if (box.width < 24 || box.height < 24)
    problems.push(`${label(e)} is only ${box.width} by ${box.height}`);
}
for (const e of all('[tabindex]'))
  if (e.tabIndex > 0) problems.push(`${label(e)} changes the order of the focus`);

// Contrast (WCAG 2.2, 1.4.3 and 1.4.11).
const channel = value => (value /= 255) <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
const light = ([r, g, b]) => 0.2126 * channel(r) + 0.7152 * channel(g) + 0.0722 * channel(b);
const numbers = color => color.match(/[\d.]+/g).map(Number);
const behind = e => {
  for (; e; e = e.parentElement) {
    const color = numbers(getComputedStyle(e).backgroundColor);
    if (color.length < 4 || color[3] > 0) return color;
  }
  return matchMedia('(prefers-color-scheme:dark)').matches ? [18, 18, 18] : [255, 255, 255];
};
const contrast = (one, other) => {
  const [high, low] = [light(one), light(other)].sort((a, b) => b - a);
  return (high + 0.05) / (low + 0.05);
};
for (const e of all('body *')) {
  if (!seen(e) || ['SCRIPT', 'STYLE', 'OPTION'].includes(e.tagName)) continue;
  const style = getComputedStyle(e);
  const isText = [...e.childNodes].some(n => n.nodeType == 3 && n.textContent.trim())
    || ['INPUT', 'TEXTAREA', 'SELECT'].includes(e.tagName) && e.type != 'checkbox';
  if (isText) {
    const found = contrast(numbers(style.color), behind(e));
    if (found < 4.5) problems.push(`the text of ${label(e)} has a contrast of ${found.toFixed(2)}`);
  }
  if (['INPUT', 'TEXTAREA', 'SELECT', 'BUTTON'].includes(e.tagName) && e.type != 'checkbox') {
    const found = contrast(numbers(style.borderTopColor), behind(e.parentElement));
    if (found < 3) problems.push(`the border of ${label(e)} has a contrast of ${found.toFixed(2)}`);
  }
}
return problems;
"""


def problems(driver):
  """The problems of the page that the browser shows."""
  found = driver.execute_script(SCRIPT)
  # The browser's own computation of roles and names, as a screen reader gets them.
  tree = driver.execute_cdp_cmd("Accessibility.getFullAXTree", {})["nodes"]
  roles = {"textbox", "searchbox", "spinbutton", "combobox", "checkbox", "button", "link", "Date"}
  for node in tree:
    role = node.get("role", {}).get("value")
    if node.get("ignored") or role not in roles:
      continue
    if not node.get("name", {}).get("value", "").strip():
      # The parts of a date field belong to the field.
      found.append(f"a {role} has no name")
  return found
