'use strict';
// The stage: two films of one plan, side by side. Playing and going back happen
// here; what changes the plan is asked of the server, at the instant shown.
(() => {
  const { T, glyph, lamp, wire, fates, brl, signed, clock, escape, tail, letter, rem } = Lab;
  const $ = (id) => document.getElementById(id);
  const post = (path, order) => fetch(path, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(order) });
  let state = null, left = null, right = null, rows = [], marks = [], stops = [];
  let t = 0, playing = false, speed = 1, connected = true, choices = [], shownGap = 0, quiet = [], goOn = false;
  const faultButtons = [['duplicate', 'copy'], ['delay', 'late'], ['reorder', 'overtaken'], ['drop', 'lost'], ['forge', 'forged']];
  const outageButtons = [['crash', 'crash'], ['store_down', 'store'], ['psp_down', 'psp']];
  const tenths = { duplicate: null, delay: null, reorder: null, drop: null, forge: null };
  const end = () => (state.scene ? state.scene.to : Math.max(left.film.end, right.film.end));

  function take(next) {
    const fresh = !state || next.seed !== state.seed || next.profile !== state.profile || (next.scene || {}).number !== (state.scene || {}).number;
    state = next;
    Lab.setStart(state.right.start);
    left = Side(state.left); right = Side(state.right);
    const seen = new Map();
    for (const c of right.film.callbacks) seen.set(c.id, { id: c.id, c, left: null, right: c });
    for (const c of left.film.callbacks) { const r = seen.get(c.id); if (r) r.left = c; else seen.set(c.id, { id: c.id, c, left: c, right: null }); }
    rows = [...seen.values()].sort((a, b) => a.c.leave - b.c.leave);
    quiet = Quiet([left.film, right.film], end());
    marks = narrate();
    stops = [...new Set([...right.film.events, ...left.film.events].map((e) => e.t))].filter((x) => x <= end()).sort((a, b) => a - b);
    if (fresh) {
      t = state.scene ? state.scene.from : 0;
      playing = false;
      if (!goOn) for (const k of Object.keys(tenths)) tenths[k] = null;
    }
    Talk.show(state);
    signature = lawSignature = '';
    document.body.dataset.version = state.version;
    $('seed').value = state.seed;
    $('profile').value = state.profile;
    drawDock(); draw();
  }

  // narrate lists what deserves a sentence, in order.
  function narrate() {
    const out = [];
    const kinds = new Map(left.film.lines.map((l) => [l.key, l.kind]));
    for (const w of left.film.wrongs) {
      if (w.cents === 0) continue;
      const paid = kinds.get(w.key) === 'pix_out', word = 'say.' + (paid ? 'out' : w.inv), value = paid || w.inv === 'I3' ? brl(Math.abs(w.cents)) : tail(w.e2e);
      if (T(word) !== word) out.push({ t: w.t, text: T(word, value) + ' ' + T('right.' + right.did(w)), icon: paid ? 'retry' : { I1: 'copy', I2: 'lost', I3: 'forged', I4: 'overtaken' }[w.inv] });
    }
    if (!left.film.wrongs.length) for (const i of left.film.invariants) if (!i.held) out.push({ t: i.t || end(), word: 'say.broken', value: `${i.id}: ${T('inv.' + i.id)}`, icon: 'cross' });
    for (const o of right.film.outages) out.push({ t: o.from, word: 'say.' + o.place, value: o.instance ? letter(o.instance) : '', icon: o.place === 'store' ? 'store' : o.place === 'psp' ? 'psp' : 'crash' });
    const lost = new Set(right.film.callbacks.filter((c) => c.fate === 'lost').map((c) => c.e2e));
    for (const l of right.film.lines) if (lost.has(l.e2e) && l.kind === 'pix_in' && l.settled) out.push({ t: l.settled, word: 'say.swept', value: tail(l.e2e), icon: 'check' });
    for (const a of right.film.acts || []) if (a.done) out.push({ t: a.t, word: 'say.' + a.do, value: tail(a.key), icon: 'check' });
    for (const [from, to] of quiet) out.push({ t: from, word: 'say.quiet', value: Lab.span(to - from), icon: 'late' });
    return out.filter((m) => m.text || T(m.word) !== m.word).sort((a, b) => a.t - b.t);
  }

  function money(e, cents, withSign) {
    e.innerHTML = (withSign && cents ? (cents > 0 ? '+' : '\u2212') : '') + `<small>R$</small>${Lab.digits(cents)}`;
  }
  function fit(e) {
    e.style.fontSize = '';
    const room = e.parentElement.clientWidth - 2.25 * rem();
    let size = parseFloat(getComputedStyle(e).fontSize);
    while (e.scrollWidth > room && size > 30) { size -= 2; e.style.fontSize = size + 'px'; }
  }

  function drawNumbers() {
    const gapLeft = left.gap(t), gapRight = right.gap(t), laws = left.byLaw(t);
    const wrong = gapLeft !== 0 || Object.values(laws).some((c) => c !== 0);
    $('left').classList.toggle('wrong', wrong);
    if (playing && !Lab.reduced && Math.abs(gapLeft - shownGap) > 400) shownGap += Math.trunc((gapLeft - shownGap) * 0.25); else shownGap = gapLeft;
    money($('gap-left'), shownGap, true); money($('gap-right'), gapRight, true); money($('statement'), right.statement(t), false);
    fit($('gap-left')); fit($('gap-right'));
    const say = (g) => T(g > 0 ? 'above' : g < 0 ? 'below' : 'agree');
    $('say-left').textContent = say(gapLeft); $('say-right').textContent = say(gapRight);
    const sum = (s, g) => T('sum', brl(s.ledger(t)), brl(s.statement(t) + g - s.ledger(t)));
    $('sum-left').textContent = sum(left, gapLeft); $('sum-right').textContent = sum(right, gapRight);
    $('settled').textContent = T('settledCount', right.settled(t));
    $('aside').textContent = T('aside', Aside.count(right.film, t));
    $('relation-left').textContent = wrong ? '\u2260' : '=';
    $('relation-left').classList.toggle('bad', wrong);
    const top = Math.max(left.roof(t), right.roof(t), 100000) * 1.02;
    drawChart($('chart-left'), left, t, wrong, top); drawChart($('chart-right'), right, t, false, top);
    drawLaws(laws);
  }

  const judgedAtEnd = new Set(['I2', 'I4', 'I10', 'I11', 'I12', 'I13', 'I16', 'I17', 'I18']);
  // The four sentences: those that money is wrong under, or whatever else the
  // receiver on the left breaks.
  function lawIDs() {
    const money = ['I1', 'I3', 'I4', 'I2'];
    if (left.film.wrongs.length || left.film.verdict === 'held') return money;
    return [...new Set([...left.film.invariants.filter((i) => !i.held).map((i) => i.id), ...money])].slice(0, 4);
  }
  let lawSignature = '';
  function drawLaws(sums) {
    const atEnd = t >= end();
    const list = lawIDs().map((id) => {
      const cents = sums[id] || 0, verdict = left.film.invariants.find((i) => i.id === id) || { held: true };
      const said = !left.film.wrongs.length && !verdict.held && (atEnd || verdict.t && verdict.t <= t);
      return { id, cents, left: cents ? (judgedAtEnd.has(id) && !atEnd ? 'open' : 'broken') : said ? 'broken' : judgedAtEnd.has(id) && !atEnd ? 'open' : 'held', right: judgedAtEnd.has(id) && !atEnd ? 'open' : 'held' };
    });
    const next = Lab.lang + JSON.stringify(list);
    if (next === lawSignature) return;
    const before = lawSignature;
    lawSignature = next;
    const word = (s) => `<span class="soft">${T(s === 'open' ? 'atEnd' : 'holds')}</span>`;
    $('laws').innerHTML = list.map((l) => {
      const bad = l.cents !== 0 || l.left === 'broken', flip = playing && bad && before && !before.includes(`"id":"${l.id}","cents":${l.cents}`);
      return `<div class="law"><div class="l${bad ? ' bad' : ''}${flip ? ' flip' : ''}">${bad ? (l.cents ? signed(l.cents) : T('broken.word')) + `<span class="hidden">${T('broken.word')}</span>` : word(l.left)}${lamp(l.left)}</div>` +
        `<div class="m"><span class="soft">${l.id}</span>&ensp;${T('inv.' + l.id)}</div><div class="r">${lamp(l.right)}${word(l.right)}</div></div>`;
    }).join('');
  }

  let signature = '';
  function cell(side, c, which) {
    if (!c) return { kind: 'soft', html: '' };
    const o = side.outcome(c, t), text = `<span>${T('out.' + o.word, o.value || '')}${o.cents ? '&ensp;' + signed(o.cents) : ''}</span>`;
    const icon = o.kind === 'done' || o.kind === 'saved' ? glyph('check') : o.glyph ? glyph(o.glyph) : '';
    const kind = o.kind === 'saved' && which === 'l' ? 'done' : o.kind;
    return { kind, html: which === 'l' ? text + icon : icon + text };
  }
  // upTo counts the rows that have left by an instant.
  function upTo(at) {
    let lo = 0, hi = rows.length;
    while (lo < hi) { const mid = (lo + hi) >> 1; if (rows[mid].c.leave <= at) lo = mid + 1; else hi = mid; }
    return lo;
  }
  // A wire grows for as long as its callback travels; the side that knows
  // nothing of a callback shows nothing.
  const going = (c) => (c && t < c.arrive ? 'going' : '');
  const way = (c, flip) => (c ? wire(c.fate, flip, going(c)) : '<span></span>');
  function drawRows() {
    const list = $('rows'), height = list.clientHeight - 16, n = matchMedia('(max-width: 68rem)').matches ? 12 : Math.max(3, Math.floor(height / (2.25 * rem())));
    const count = upTo(t), shown = rows.slice(Math.max(0, count - n), count).reverse();
    const cells = shown.map((r) => [cell(left, r.left, 'l'), cell(right, r.right, 'r')]);
    const next = Lab.lang + n + shown.map((r, i) => r.id + going(r.left) + going(r.right) + cells[i][0].html + cells[i][1].html).join();
    if (next !== signature) {
      signature = next;
      const had = new Set([...list.children].map((e) => e.dataset.id));
      list.style.setProperty('--row', height / n + 'px');
      list.innerHTML = shown.map((r, i) => {
        const c = r.c, [a, b] = cells[i], family = 'family-' + fates[c.fate][0];
        const word = right.payout(c) ? T('row.payout') : c.cents < 0 && c.fate === 'ok' ? T('row.refund') : T('fate.' + c.fate);
        return `<li class="row${playing && !Lab.reduced && had.size && !had.has(r.id) ? ' new' : ''}" data-id="${escape(r.id)}"><div class="out l ${a.kind}">${a.html}</div>${way(r.left, true)}` +
          `<div class="call"><span class="soft">${clock(c.leave).slice(6)}</span>${glyph(c.fate, family)}<span class="fate ${family}">${word}</span><span class="mono">…${tail(c.e2e)}</span><span class="amount">${brl(c.cents)}</span></div>${way(r.right, false)}<div class="out r ${b.kind}">${b.html}</div></li>`;
      }).join('') || `<li class="empty">${T('empty')}</li>`;
    }
    if (Lab.reduced) return;
    shown.forEach((r, i) => {
      for (const [c, e] of [[r.left, list.children[i].children[1]], [r.right, list.children[i].children[3]]]) {
        if (c && t < c.arrive) e.style.setProperty('--way', Math.round((t - c.leave) / Math.max(1, c.arrive - c.leave) * 100) + '%');
      }
    });
  }

  function drawNarrator() {
    let icon = 'ok', text = T(t > 0 ? 'say.calm' : 'say.intro');
    const m = marks[left.before(marks, t) - 1];
    if (m) { icon = m.icon; text = m.text || T(m.word, m.value); }
    if (t >= end()) { icon = 'check'; text = T('say.end'); }
    if (Talk.says(t)) { icon = 'check'; text = Talk.says(t); }
    if (!connected) { icon = 'retry'; text = T('say.lost'); }
    const html = glyph(icon) + `<span>${text}</span>`;
    if ($('narrator').dataset.html !== html) { $('narrator').dataset.html = html; $('narrator').innerHTML = html; }
    const n = right.before(right.film.events, t), e = right.film.events[n - 1];
    $('event').textContent = T('event.hash', n, e ? e.h : '–');
    $('event').title = right.film.hash;
  }

  let queued = false;
  function draw() {
    if (queued || !state) return;
    queued = true;
    requestAnimationFrame(() => {
      queued = false;
      $('clock').textContent = clock(t, 1);
      $('play').innerHTML = glyph(playing ? 'pause' : 'play');
      drawNumbers(); drawRows(); drawNarrator(); drawOutages();
    });
  }

  function drawDock() {
    $('dock').innerHTML = faultButtons.map(([b, icon], i) => `<div class="fault"><button data-button="${b}">${glyph(icon, 'family-' + fates[icon][0])}<span>${T('button.' + b)}</span><kbd>${i + 1}</kbd></button>` +
      `<div class="chance"><input type="range" min="0" max="10" value="${tenths[b] ?? planned(b)}" data-rate="${b}" aria-label="${T('button.' + b)}" aria-valuetext="${T('in10', tenths[b] ?? planned(b))}"><output>${T('in10', tenths[b] ?? planned(b))}</output></div></div>`).join('') +
      '<span class="rule"></span>' + outageButtons.map(([b, icon], i) => `<button class="outage" data-button="${b}"><span>${glyph(icon)}${T('button.' + b)}<kbd>${i + 6}</kbd></span><span class="is" data-is="${b}"></span></button>`).join('') +
      `<button class="heal" data-button="heal">${glyph('heal')}${T('heal')}</button>`;
    disable();
  }
  // planned is about how many callbacks in ten the plan strikes so.
  function planned(button) {
    const want = { duplicate: ['copy'], delay: ['late'], reorder: ['overtaken'], drop: ['lost'], forge: ['forged'] }[button];
    const subject = (c) => c.id.split('/')[0], all = new Set(right.film.callbacks.map(subject));
    return Math.min(10, Math.round(new Set(right.film.callbacks.filter((c) => want.includes(c.fate)).map(subject)).size / (all.size || 1) * 10));
  }
  function drawOutages() {
    for (const [b, place] of [['crash', 'instance'], ['store_down', 'store'], ['psp_down', 'psp']]) {
      const down = right.film.outages.some((o) => o.place === place && (place !== 'instance' || o.instance === 1) && o.from <= t && t < o.to), e = document.querySelector(`[data-is="${b}"]`);
      if (!e) continue;
      e.textContent = T(down ? 'isDown' : 'up');
      e.parentElement.classList.toggle('down', down);
    }
  }
  function disable() { document.querySelectorAll('#dock button, #dock input, #seed, #profile, #receiver').forEach((e) => { e.disabled = !connected; }); }

  async function order(path, body, said) {
    try {
      const r = await post(path, body);
      const got = r.ok ? await r.json() : { refused: await r.text() };
      if (got.refused) { Lab.toast(got.refused); return got.refused; }
      take(got);
      if (said) Lab.toast(said);
      return '';
    } catch { lose(); return T('say.lost'); }
  }
  // operate appends an operator's act to the plan, and goes on just after it.
  async function operate(act) {
    const said = T('added', T('aside.' + act.do), clock(t, 1)), refused = await order('/api/operate', { operate: act, at: Math.round(t) });
    if (!refused) {
      const done = (right.film.acts || []).filter((a) => a.key === act.key).pop();
      if (done && done.t > t && done.t - t < 1e6) t = done.t;
      draw();
    }
    return { film: right.film, t, said: refused || said };
  }
  const press = (b) => order('/api/press', { button: b, at: Math.round(t) }, T('added', T('button.' + b), clock(t, 1)));
  const begin = () => (state.scene ? state.scene.from : 0);
  const reset = () => {
    if (state.scene) { scene(state.scene.number); return; }
    playing = false;
    order('/api/reset', { seed: state.seed, profile: state.profile }).then(() => { t = 0; draw(); });
  };
  // scene brings one on stage, run anew, and plays it.
  const scene = (n) => order('/api/scene', { scene: n }).then(() => { t = begin(); playing = true; draw(); });
  function turn(direction) {
    Talk.start();
    const n = state.scene.number + direction;
    if (n >= 1 && n <= state.scene.of) scene(n);
  }
  // next goes on with the next seed, at the rates that were set.
  async function next() {
    goOn = true;
    const set = Object.entries(tenths).filter(([, n]) => n !== null);
    await order('/api/reset', { seed: String(Number(state.seed) + 1), profile: state.profile });
    for (const [b, n] of set) await order('/api/rate', { button: b, tenths: n, at: 0 });
    goOn = false;
    t = 0; playing = connected;
    draw();
  }
  function jump(direction) {
    playing = false;
    if (direction > 0) { const s = stops.find((x) => x > t); t = s === undefined ? end() : s; } else { let s = 0; for (const x of stops) { if (x >= t) break; s = x; } t = s; }
    draw();
  }
  const speeds = [0.25, 0.5, 1, 2, 4];
  function faster() { speed = speeds[(speeds.indexOf(speed) + 1) % speeds.length]; $('speed').textContent = String(speed).replace('.', Lab.lang === 'pt' ? ',' : '.') + '×'; }
  function toggle() { if (t >= end()) t = begin(); playing = !playing; Talk.start(); draw(); }

  async function lines(which) {
    const name = which === 'left' ? state.receiver : 'reference', d = $('lines');
    const r = await fetch('/api/lines?receiver=' + encodeURIComponent(name));
    const about = choices.find((c) => c.name === name);
    d.innerHTML = `<h2>${which === 'left' ? escape(name) : T('hardened')}</h2><p>${which === 'left' ? escape(about ? about.doc : '') : T('lines.right')}</p><pre class="mono">${escape(r.ok ? await r.text() : '')}</pre>`;
    d.showModal();
  }

  const keyTable = [['key.space', 'key.play'], ['← →', 'key.event'], ['Shift ← →', 'key.tenth'], ['1 … 5', 'key.buttons'], ['6 7 8', 'key.outages'], ['H', 'key.heal'], ['W', 'key.lines'], ['R', 'key.reset'], ['S', 'speed'], ['Q', 'key.aside'], ['L · T', 'key.look'], ['PgUp PgDn', 'key.scene']];
  addEventListener('keydown', (e) => {
    if (e.ctrlKey || e.metaKey || e.altKey || document.querySelector('dialog[open]')) return;
    if ((e.target.tagName === 'INPUT' && e.target.type !== 'range') || e.target.tagName === 'SELECT') return;
    if (e.target.tagName === 'BUTTON' && (e.key === ' ' || e.key === 'Enter')) return;
    const key = e.key.toLowerCase();
    const actions = { ' ': toggle, h: () => press('heal'), w: () => lines('left'), r: reset, s: faster, l: Lab.toggleLang, t: Lab.toggleTheme, '?': () => Lab.help(keyTable), q: () => Aside(right.film, t, operate), home: () => { t = begin(); draw(); }, end: () => { t = end(); playing = false; draw(); } };
    const turns = { pagedown: 1, pageup: -1, arrowright: 1, arrowleft: -1, arrowdown: 1, arrowup: -1 }[key];
    if (state.scene && turns && !e.shiftKey && e.target.type !== 'range') { e.preventDefault(); turn(turns); } else if (key === 'arrowright' || key === 'arrowleft') {
      if (e.target.type === 'range') return;
      e.preventDefault();
      const direction = key === 'arrowright' ? 1 : -1;
      if (e.shiftKey) { t = Math.max(0, Math.min(end(), t + direction * 1e6)); draw(); } else jump(direction);
    } else if (key >= '1' && key <= '5') press(faultButtons[key - 1][0]);
    else if (key >= '6' && key <= '8') press(outageButtons[key - 6][0]);
    else if (actions[key]) { e.preventDefault(); actions[key](); }
  });
  const on = (id, f) => $(id).addEventListener('click', f);
  on('start', reset); on('back', () => jump(-1)); on('step', () => jump(1)); on('play', toggle); on('speed', faster); on('theme', Lab.toggleTheme);
  on('wrong-lines', () => lines('left')); on('good-lines', () => lines('right')); on('aside', () => Aside(right.film, t, operate));
  on('dock', (e) => { const b = e.target.closest('[data-button]'); if (b) press(b.dataset.button); });
  $('dock').addEventListener('input', (e) => { if (e.target.dataset.rate) { e.target.nextElementSibling.textContent = T('in10', e.target.value); e.target.setAttribute('aria-valuetext', T('in10', e.target.value)); } });
  $('dock').addEventListener('change', (e) => {
    const b = e.target.dataset.rate;
    if (!b) return;
    tenths[b] = Number(e.target.value);
    order('/api/rate', { button: b, tenths: tenths[b], at: Math.round(t) }, T('added', `${T('button.' + b)} ${T('in10', tenths[b])}`, clock(t, 1)));
  });
  $('seed').addEventListener('keydown', (e) => { if (e.key === 'Enter') { e.target.blur(); order('/api/reset', { seed: e.target.value.trim(), profile: $('profile').value }); } if (e.key === 'Escape') { e.target.value = state.seed; e.target.blur(); } });
  $('profile').addEventListener('change', (e) => order('/api/reset', { seed: state.seed, profile: e.target.value }));
  $('receiver').addEventListener('change', (e) => order('/api/receiver', { receiver: e.target.value }));
  addEventListener('resize', () => { signature = ''; draw(); });

  function tell() { document.body.dataset.connected = connected ? 'yes' : 'no'; disable(); draw(); }
  function lose() {
    if (!connected) return;
    connected = playing = false;
    document.body.dataset.losses = Number(document.body.dataset.losses || 0) + 1;
    tell();
  }
  function found() { connected = true; tell(); }
  function listen() {
    const source = new EventSource('/api/changes');
    source.addEventListener('version', async (e) => {
      if (state && Number(e.data) <= state.version) return;
      const r = await fetch('/api/state');
      if (r.ok) take(await r.json());
    });
    source.onopen = found;
    source.onerror = lose;
  }
  // A reload in the middle goes on where it was.
  addEventListener('pagehide', () => { try { sessionStorage.setItem('pixlab.at', JSON.stringify({ version: state.version, t, playing })); } catch { /* no storage */ } });
  function resume() {
    try {
      const was = JSON.parse(sessionStorage.getItem('pixlab.at'));
      if (was && was.version === state.version) { t = was.t; playing = was.playing; }
    } catch { /* nothing kept */ }
  }

  Lab.onChange(() => { if (!state) return; signature = lawSignature = ''; marks = narrate(); fillReceivers(); drawDock(); Talk.show(state); faster(); speed = 1; $('speed').textContent = '1×'; draw(); });
  function fillReceivers() {
    $('receiver').innerHTML = choices.map((c) => `<option value="${escape(c.name)}">${c.name === 'naive' ? T('naive') : escape(c.name)}</option>`).join('');
    if (state) $('receiver').value = state.receiver;
  }
  (async () => {
    Lab.begin(Words);
    const [known, profiles, now] = await Promise.all(['/api/receivers', '/api/profiles', '/api/state'].map((p) => fetch(p).then((r) => r.json())));
    choices = known;
    $('profile').innerHTML = profiles.map((p) => `<option>${escape(p)}</option>`).join('');
    take(now);
    resume();
    fillReceivers();
    if (Lab.query.get('t')) t = Number(Lab.query.get('t')) * 1e6;
    if (Lab.query.get('play')) playing = true;
    draw();
    listen();
    document.body.dataset.ready = 'yes';
    if (document.fonts) document.fonts.ready.then(() => { signature = ''; draw(); });
  })();
  let last = null;
  requestAnimationFrame(function frame(now) {
    if (playing && last !== null) {
      t += Math.min(100, now - last) * 1000 * speed;
      const idle = quiet.find(([from, to]) => t > from + 1e6 && t < to);
      if (idle) t = idle[1];
      if (t >= end()) { t = end(); playing = false; if (state.endless && connected) next(); }
      draw();
    }
    last = now;
    requestAnimationFrame(frame);
  });
})();
