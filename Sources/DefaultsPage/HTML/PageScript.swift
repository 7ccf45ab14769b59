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
    const value = c => c.type == 'checkbox' ? String(c.checked) : c.value;
    // The values that were sent of controls that an answer hasn't replaced.
    const base = new WeakMap();
    const changed = c => c.hasAttribute('aria-invalid') ? true
      : base.has(c) ? value(c) != base.get(c)
      : c.type == 'checkbox' ? c.checked != c.defaultChecked
      : c.tagName == 'SELECT' ? !c.selectedOptions[0]?.defaultSelected
      : c.value != c.defaultValue;
    // The marks of newer values of rows that the user is changing.
    const stale = new Map();
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
    // The next request of each row that waits for an answer; null if there is none.
    const next = new Map();
    const isBusy = (i, c) => c && (changed(c) || next.has(i));
    const send = async (i, reset) => {
      const c = control(rows[i]), sent = c && value(c);
      if (!c) return;
      const body = new URLSearchParams([['token', form.elements.token.value], ['seen', seen[i]]]);
      body.append(reset ? 'reset' : c.name, reset || sent);
      try {
        const answer = await fetch('?', {
          method: 'POST', body, headers: {Accept: 'application/json'}});
        if (!answer.headers.get('Content-Type')?.includes('json')) {
          status.textContent = 'Not saved: ' + await answer.text();
          return;
        }
        const result = await answer.json();
        for (const row of result.rows || []) {
          const e = element(row.html), field = control(e);
          if (field && (next.get(i) || value(c) != sent)) {
            // The user has changed the control meanwhile. After a rejection, the next request
            // has the same mark, so that it doesn't discard the change of another program.
            stale.set(i, row.seen);
            if (field.hasAttribute('aria-invalid')) continue;
            seen[i] = row.seen;
            base.set(c, sent);
          } else {
            const later = stale.get(row.index);
            show(row.index, e, row.seen);
            // An event about another value has overtaken the answer.
            if (later && later != row.seen) refresh();
          }
        }
        status.textContent = result.message;
      } catch {
        status.textContent = 'Not saved: the page can’t be reached. Try again.';
      }
    };
    const save = async (i, reset) => {
      const c = control(rows[i]);
      if (!reset && !c.validity.valid && !c.value) {
        status.textContent = 'Not saved: ' + c.validationMessage;
        return;
      }
      if (next.has(i)) return next.set(i, {reset});
      for (let request = {reset}; request; request = next.get(i)) {
        next.set(i, null);
        await send(i, request.reset);
      }
      next.delete(i);
    };
    form.addEventListener('change', event => {
      const i = rows.indexOf(event.target.closest('section>div'));
      if (i >= 0 && isBusy(i, event.target)) save(i);
    });
    form.addEventListener('submit', event => {
      event.preventDefault();
      const button = event.submitter;
      if (button?.name == 'reset')
        save(rows.indexOf(button.closest('section>div')), button.value);
      else
        rows.forEach((row, i) => {
          const c = control(row);
          if (c && changed(c) && !next.has(i)) save(i);
        });
    });
    form.noValidate = true;
    form.classList.add('live');

    const arrive = (i, row, mark) => {
      show(i, row, mark);
      const title = row.firstElementChild.textContent;
      status.textContent = title + ' was changed by another program';
    };
    const refresh = async () => {
      const before = [...seen];
      const answer = await fetch('?');
      const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
      const marks = page.getElementById('f').elements.seen.value.match(/.{8}/g) || [];
      page.querySelectorAll('section>div').forEach((row, i) => {
        row.hidden = rows[i].hidden;
        const c = control(rows[i]);
        // The answer to a save may have been faster, and is newer.
        if (seen[i] != before[i]) return;
        // Even if the row is as before, since an answer may replace it.
        if (isBusy(i, c)) stale.set(i, marks[i]);
        else if (!rows[i].isEqualNode(row)) arrive(i, row, marks[i]);
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
        if (isBusy(row.index, c)) stale.set(row.index, row.seen);
        else if (!old.isEqualNode(e)) arrive(row.index, e, row.seen);
      }
    };
    addEventListener('pagehide', () => events.close());
    })();
    """#
}
