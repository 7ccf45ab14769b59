/// The script of the page. `PageHashes` has its digest. The page works without it.
///
/// It searches as the user types, saves a field when it changes, and shows changes by other
/// programs. Rows come as HTML from the page, which has escaped all texts.
enum PageScript {
  static let text = #"""
    (() => {
    'use strict';
    const get = id => document.getElementById(id), all = q => document.querySelectorAll(q);
    const query = get('q'), status = get('t'), form = get('f');
    const rows = [...all('section>div')], sections = [...all('section')];
    const texts = [];
    const text = e => {
      const parts = [];
      for (const part of e.querySelectorAll(':scope>label,b,code,p,samp,option'))
        parts.push(part.textContent, part.tagName == 'OPTION' ? part.value : '');
      const field = control(e);
      if (field && field.type != 'checkbox' && field.type != 'password') parts.push(field.value);
      else if (field && field.type == 'checkbox') parts.push(String(field.checked));
      return parts.join('\n').toLowerCase();
    };
    const control = e => e.querySelector('[id^=r]:not(b)');
    const search = () => {
      const words = query.value.toLowerCase().split(/\s+/).filter(Boolean), tests = [];
      for (const word of words) {
        const mark = {'@changed': 'c', '@managed': 'm', '@invalid': 'i'}[word];
        if (mark) tests.push(e => e.classList.contains(mark));
        else if (word.startsWith('@layer:'))
          tests.push(e => (e.dataset.layer || 'default').toLowerCase() == word.slice(7));
        else tests.push((e, i) => (texts[i] ??= text(e)).includes(word));
      }
      let count = 0;
      rows.forEach((e, i) => {
        const found = tests.every(test => test(e, i));
        if (e.hidden == found) e.hidden = !found;
        if (found) count++;
      });
      for (const section of sections) {
        const empty = !section.querySelector(':scope>div:not([hidden])');
        if (section.hidden != empty) section.hidden = empty;
      }
      status.textContent = count + ' of ' + rows.length + ' settings';
    };
    query.addEventListener('input', search);
    query.form.addEventListener('submit', event => { event.preventDefault(); search(); });
    query.form.querySelector('button').hidden = true;
    if (!form) return;

    const seen = form.elements.seen.value.match(/.{8}/g) || [];
    const changed = c => c.type == 'checkbox' ? c.checked != c.defaultChecked
      : c.tagName == 'SELECT' ? !c.selectedOptions[0]?.defaultSelected
      : c.value != c.defaultValue;
    const stale = new Set();
    const show = (i, row, mark) => {
      stale.delete(i);
      const e = rows[i], focused = e.contains(document.activeElement) && control(e)?.id;
      row.hidden = e.hidden;
      e.replaceWith(row);
      rows[i] = row;
      texts[i] = null;
      if (mark) seen[i] = mark;
      form.elements.seen.value = seen.join('');
      if (focused) get(focused)?.focus();
    };
    const element = html => {
      const template = document.createElement('template');
      template.innerHTML = html;
      return template.content.firstElementChild;
    };
    const save = async (i, fields) => {
      const body = new URLSearchParams([['token', form.elements.token.value], ['seen', seen[i]]]);
      for (const [name, value] of fields) body.append(name, value);
      try {
        const answer = await fetch('?', {
          method: 'POST', body, headers: {Accept: 'application/json'}});
        if (!answer.headers.get('Content-Type')?.includes('json')) {
          status.textContent = 'Not saved: ' + await answer.text();
          return;
        }
        const result = await answer.json();
        for (const row of result.rows || []) show(row.index, element(row.html), row.seen);
        status.textContent = result.message;
      } catch {
        status.textContent = 'Not saved: the page can’t be reached. Try again.';
      }
    };
    form.addEventListener('change', event => {
      const c = event.target, i = rows.indexOf(c.closest('section>div'));
      if (i < 0 || !changed(c)) return;
      if (!c.validity.valid && !c.value) {
        status.textContent = 'Not saved: ' + c.validationMessage;
        return;
      }
      save(i, [[c.name, c.type == 'checkbox' ? String(c.checked) : c.value]]);
    });
    form.addEventListener('submit', event => {
      event.preventDefault();
      const button = event.submitter;
      if (button?.name == 'reset')
        save(rows.indexOf(button.closest('section>div')), [['reset', button.value]]);
    });
    form.noValidate = true;
    form.classList.add('live');

    const arrive = (i, row, mark) => {
      show(i, row, mark);
      const title = row.firstElementChild.textContent;
      status.textContent = title + ' was changed by another program';
    };
    const refresh = async () => {
      const answer = await fetch('?');
      const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
      const marks = page.getElementById('f').elements.seen.value.match(/.{8}/g) || [];
      page.querySelectorAll('section>div').forEach((row, i) => {
        row.hidden = rows[i].hidden;
        const c = control(rows[i]);
        if (!rows[i].isEqualNode(row) && !(c && changed(c))) arrive(i, row, marks[i]);
      });
    };
    form.addEventListener('focusout', event => {
      const i = rows.indexOf(event.target.closest('section>div'));
      if (stale.has(i) && !changed(event.target)) refresh();
    });
    const events = new EventSource('?events=' + form.dataset.state);
    events.onmessage = event => {
      const change = JSON.parse(event.data);
      if (!change.rows) return refresh();
      for (const row of change.rows) {
        const old = rows[row.index], c = control(old), e = element(row.html);
        e.hidden = old.hidden;
        if (old.isEqualNode(e)) continue;
        if (c && changed(c)) {
          stale.add(row.index);
          continue;
        }
        arrive(row.index, e, row.seen);
      }
    };
    addEventListener('pagehide', () => events.close());
    })();
    """#
}
