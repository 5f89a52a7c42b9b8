'use strict';
// What an operator of the right receiver would look at: events put aside, and
// open cases, as they stood at an instant.
const Aside = (() => {
  const latest = (list, t) => {
    const by = new Map();
    for (const s of list) { if (s.t > t) break; by.set(s.id, s); }
    return [...by.values()];
  };
  const held = (film, t) => latest(film.inbox, t).filter((s) => s.state === 'QUARANTINED');
  const open = (film, t) => latest(film.cases, t).filter((c) => c.state.toUpperCase() === 'OPEN');
  // button is one act on an event or a case, as the plan will have it.
  const button = (word, act) => `<button class="small" data-operate="${Lab.escape(JSON.stringify(act))}">${Lab.T(word)}</button>`;
  // show lists both. operate carries an act out and answers with what was refused,
  // or nothing, and with the film and instant to go on with.
  function show(film, t, operate, said = '') {
    const { T, escape, tail, brl, clock } = Lab, d = document.getElementById('put-aside');
    const row = (cells) => `<tr>${cells.map((c) => `<td>${c}</td>`).join('')}</tr>`, none = row([`<span class="soft">${T('none')}</span>`]);
    const events = held(film, t).map((s) => row([clock(s.t, 1), `<span class="mono">${escape(s.key.split(':')[0])}:…${tail(s.key)}</span>`, escape(s.quarantine || ''), escape(s.reason || ''),
      /^dropped: /.test(s.reason || '') ? '' : button('aside.requeue', { do: 'requeue', key: s.key }) + button('aside.drop', { do: 'drop', key: s.key })])).join('');
    const cases = open(film, t).map((c) => row([clock(c.t, 1), `<span class="mono">…${tail(c.e2e || c.id)}</span>`, brl(c.cents), escape(c.reason),
      c.cents < 0 ? button('aside.claim', { do: 'close', key: c.id, to: 'merchant:credito_a_devolver' }) : c.cents ? button('aside.revenue', { do: 'close', key: c.id, to: 'merchant:receita' }) + button('aside.return', { do: 'close', key: c.id, to: 'merchant:credito_a_devolver' }) : button('aside.close', { do: 'close', key: c.id })])).join('');
    d.innerHTML = `<h2>${T('aside.title')}</h2><p role="status" class="said">${escape(said)}</p><h3>${T('aside.events')}</h3><table>${events || none}</table><h3>${T('cases')}</h3><table>${cases || none}</table><p class="soft">${T('aside.who')}</p>`;
    d.onclick = async (e) => {
      const b = e.target.closest('[data-operate]');
      if (!b) return;
      const next = await operate(JSON.parse(b.dataset.operate));
      show(next.film, next.t, operate, next.said);
    };
    if (!d.open) d.showModal();
  }
  let seen = { film: null, events: [], cases: [] };
  // count is how many of both there are, without walking through the film again
  // at every frame: it steps where something changed.
  function count(film, t) {
    if (seen.film !== film) {
      const steps = (list, is) => {
        const now = new Map();
        let n = 0;
        return list.map((s) => { const was = now.get(s.id) || false; now.set(s.id, is(s)); n += is(s) - was; return { t: s.t, n }; });
      };
      seen = { film, events: steps(film.inbox, (s) => s.state === 'QUARANTINED'), cases: steps(film.cases, (c) => c.state.toUpperCase() === 'OPEN') };
    }
    const at = (list) => {
      let lo = 0, hi = list.length;
      while (lo < hi) { const mid = (lo + hi) >> 1; if (list[mid].t <= t) lo = mid + 1; else hi = mid; }
      return lo ? list[lo - 1].n : 0;
    };
    return at(seen.events) + at(seen.cases);
  }
  show.count = count;
  return show;
})();
