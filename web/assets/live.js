'use strict';
// The page of a live stage: readings come from the server, two a second; orders
// go there. Nothing is computed here but what is drawn.
(() => {
  const { T, glyph, lamp, brl, signed, escape, letter, rem } = Lab;
  const $ = (id) => document.getElementById(id);
  const mostKept = 240;
  let readings = [], happenings = [], connected = true, canStop = true, dialling = false;
  const now = () => readings[readings.length - 1];
  const count = (n) => Number(n).toLocaleString(Lab.lang === 'pt' ? 'pt-BR' : 'en-US');
  const decimal = (v, n) => v.toLocaleString(Lab.lang === 'pt' ? 'pt-BR' : 'en-US', { minimumFractionDigits: n, maximumFractionDigits: n });
  const ms = (v) => (v >= 1000 ? `${decimal(v / 1000, 1)} s` : v >= 10 ? `${decimal(v, 0)} ms` : `${decimal(v, 1)} ms`);

  function take(r) {
    if (readings.length && r.n <= now().n) return;
    readings.push(r);
    for (const h of r.said || []) happenings.push(h);
    if (readings.length > mostKept) readings.shift();
    while (happenings.length > 100) happenings.shift();
  }

  function money(e, cents, withSign) {
    e.innerHTML = (withSign && cents ? (cents > 0 ? '+' : '\u2212') : '') + `<small>R$</small>${Lab.digits(cents)}`;
  }
  function fit(e, padding = 2.25) {
    e.style.fontSize = '';
    const room = e.parentElement.clientWidth - padding * rem();
    let size = parseFloat(getComputedStyle(e).fontSize);
    while (e.scrollWidth > room && size > 28) { size -= 2; e.style.fontSize = size + 'px'; }
  }

  function drawNumbers(r) {
    const gap = r.twiceCents + r.inventedCents, twice = r.entries !== r.credited;
    $('left').classList.toggle('wrong', twice);
    $('right').classList.toggle('wrong', gap !== 0);
    $('credits').textContent = count(r.entries);
    $('say-left').textContent = T(twice ? 'live.twice' : 'live.distinct', count(r.credited));
    $('sum-left').textContent = T('live.sum', count(r.sent), count(r.doubled), count(r.refused));
    money($('gap'), gap, true); money($('statement'), r.paidCents, false);
    fit($('gap')); fit($('credits')); fit($('statement'), 0);
    $('say-right').textContent = r.read ? T(gap > 0 ? 'above' : 'agree') : T('live.unread');
    $('sum-right').textContent = T('live.ledger', brl(r.ledgerCents));
    $('settled').textContent = T('settledCount', count(r.paid));
    $('way').textContent = T('live.way', brl(r.onWayCents), count(r.onWay));
    $('relation').textContent = gap ? '\u2260' : '=';
    $('relation').classList.toggle('bad', gap !== 0);
    const s = Math.floor(r.ms / 1000);
    $('clock').textContent = `${String(Math.floor(s / 60)).padStart(2, '0')}:${String(s % 60).padStart(2, '0')}`;
    $('play').innerHTML = glyph(r.on ? 'pause' : 'play');
  }

  // steps are round numbers up to a chart's top.
  const steps = (top) => { const s = [0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000].find((q) => top / q <= 4) || 2000; return Array.from({ length: Math.floor(top / s) + 1 }, (_, i) => i * s); };
  function drawCharts(r) {
    const points = (f) => readings.map((q) => [q.ms, f(q)]), marks = happenings.filter((h) => /killed|cut|stopped/.test(h.word)).map((h) => h.ms);
    $('now-rate').textContent = count(Math.round(r.ackRate));
    drawLine($('chart-rate'), { now: r.ms, marks, least: 10, ticks: steps, say: count, label: `${T('live.throughput')}: ${T('live.acked')} ${Math.round(r.ackRate)}, ${T('live.credited')} ${Math.round(r.creditRate)}`,
      lines: [{ colour: '--ink', word: T('live.acked'), points: points((q) => q.ackRate) }, { colour: '--goodline', wide: 3.5, word: T('live.credited'), points: points((q) => q.creditRate) }] });
    $('now-lag').textContent = r.lag === null ? T('live.none') : `${decimal(r.lag, 2)} s · ${T('live.depth', count(r.depth))}`;
    drawLine($('chart-lag'), { now: r.ms, marks, least: 1, ticks: steps, say: (v) => `${decimal(v, v % 1 ? 1 : 0)} s`, label: `${T('live.lag')}: ${$('now-lag').textContent}`,
      lines: [{ colour: '--ink', word: T('live.waits'), points: points((q) => q.lag) }] });
    $('now-ack').textContent = r.ackP50 === null ? T('live.none') : `p50 ${ms(r.ackP50)} · p99 ${ms(r.ackP99)}`;
    drawLine($('chart-ack'), { now: r.ms, marks, log: true, room: 4.25, least: 100, ticks: (top) => [1, 10, 100, 1000, 10000].filter((v) => Math.log10(v) <= top), say: (v) => (v < 1000 ? `${v} ms` : `${v / 1000} s`), label: `${T('live.ack')}: ${$('now-ack').textContent}`,
      lines: [{ colour: '--ink', word: 'p50', points: points((q) => q.ackP50) }, { colour: '--again', dash: '9 5', word: 'p99', points: points((q) => q.ackP99) }] });
  }

  function drawLaws(r) {
    const rest = r.onWay === 0;
    const list = [
      { id: 'I1', bad: r.twiceCents, is: r.twiceCents ? signed(r.twiceCents) : T('live.holds') },
      { id: 'I3', bad: r.inventedCents, is: r.inventedCents ? signed(r.inventedCents) : T('live.holds') },
      { id: 'I5', bad: r.unkept, is: r.unkept ? T('live.unkept', count(r.unkept)) : T('live.kept', count(r.distinct)) },
      { id: 'I2', bad: 0, open: !rest, is: rest ? T('live.booked', count(r.paid)) : T('live.missing', count(r.onWay), count(r.paid)) },
    ];
    $('laws').innerHTML = list.map((l) => `<div class="test${l.bad ? ' bad' : ''}">${lamp(l.bad ? 'broken' : l.open ? 'open' : 'held')}<span class="what">${T('inv.' + l.id)}</span><span class="is">${l.is}</span></div>`).join('');
  }

  function drawProcesses(r) {
    const tile = (up, name, ...is) => `<div class="card process${up ? '' : ' down'}"><b>${name}</b>${is.map((s) => `<span class="soft">${s}</span>`).join('')}</div>`;
    $('processes').innerHTML = r.receivers.map((x, i) => tile(x.up, T('live.receiver', letter(i + 1)), T(x.up ? 'live.up' : 'live.dead', x.lives), x.up ? `pid ${x.pid}` : '')).join('') +
      tile(r.database, T('live.base'), T(r.database ? 'live.base.up' : 'live.base.down'));
  }

  function drawNarrator() {
    const h = happenings[happenings.length - 1];
    const icon = !connected ? 'no_answer' : !h ? 'ok' : { 'live.killed': 'crash', 'live.died': 'crash', 'live.back': 'check', 'live.cut': 'no_answer', 'live.stopped': 'store', 'live.started': 'check', 'live.rest': 'check', 'live.differs': 'cross' }[h.word] || 'ok';
    const text = !connected ? T('say.live.lost') : h ? T('say.' + h.word, /^\d+$/.test(h.value || '') ? count(h.value) : escape(h.value || '')) : T('say.live.intro');
    const next = glyph(icon) + `<span>${text}</span>`;
    if ($('narrator').dataset.said !== text) { $('narrator').dataset.said = text; $('narrator').innerHTML = next; }
  }

  function drawDock() {
    const outage = (act, icon, word, key, more) => `<button class="outage" data-act="${act}"${more || ''}><span>${glyph(icon)}${word} <kbd>${key}</kbd></span><span class="is" data-is="${act}"></span></button>`;
    const dial = (name, most, unit) => `<div class="dial"><label for="dial-${name}"><span>${T('live.' + name)}</span><b data-dial="${name}"></b></label><input type="range" id="dial-${name}" min="${name === 'rate' ? 10 : 0}" max="${most}" step="10" data-unit="${unit}"></div>`;
    $('dock').innerHTML = outage('kill-1', 'crash', T('button.kill', 'A'), 1) + outage('kill-2', 'crash', T('button.kill', 'B'), 2) + outage('cut', 'no_answer', T('button.cut'), 3) +
      outage('database', 'store', T('button.base'), 4, canStop ? '' : ` disabled title="${T('live.foreign')}"`) + '<div class="rule"></div>' + dial('rate', 500, '') + dial('copies', 100, '%') +
      `<button class="heal" data-act="heal">${glyph('heal')}${T('heal')} <kbd>H</kbd></button>`;
    fillDock();
  }
  function fillDock() {
    const r = now();
    if (!r) return;
    const is = (act, text, down) => { const e = document.querySelector(`[data-is="${act}"]`); e.textContent = text; e.parentElement.classList.toggle('down', down); };
    is('cut', T('live.connections'), false);
    r.receivers.forEach((x, i) => is(`kill-${i + 1}`, T(x.up ? 'up' : 'isDown'), !x.up));
    is('database', T(r.database ? 'live.base.up' : 'live.base.down'), !r.database);
    for (const name of ['rate', 'copies']) {
      const e = $('dial-' + name);
      if (!dialling) e.value = r[name];
      document.querySelector(`[data-dial="${name}"]`).textContent = e.value + (e.dataset.unit ? ' ' + e.dataset.unit : '');
    }
  }

  function draw() {
    const r = now();
    drawNarrator();
    if (!r) return;
    drawNumbers(r); drawCharts(r); drawLaws(r); drawProcesses(r); fillDock();
    const d = document.body.dataset;
    Object.assign(d, { n: r.n, credited: r.credited, way: r.onWay, said: happenings.map((h) => h.word).join(' '), lives: r.receivers.map((x) => x.lives).join(' '), up: r.receivers.map((x) => (x.up ? 'up' : 'down')).join(' ') });
  }

  async function act(order) {
    try {
      const a = await fetch('/api/act', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(order) });
      if (!a.ok) Lab.toast(await a.text());
      else if (a.status === 200) Lab.toast((await a.json()).refused);
    } catch { tell(false); }
  }
  const acts = {
    'kill-1': () => act({ do: 'kill', n: 1 }), 'kill-2': () => act({ do: 'kill', n: 2 }), cut: () => act({ do: 'cut' }),
    database: () => canStop && act({ do: 'database' }), heal: () => act({ do: 'heal' }), load: () => now() && act({ do: 'load', on: !now().on }),
  };
  const keyTable = [['key.space', 'key.load'], ['1 2', 'key.kill'], ['3', 'key.cut'], ['4', 'key.base'], ['H', 'key.healLive'], ['L · T', 'key.look']];
  addEventListener('keydown', (e) => {
    if (e.ctrlKey || e.metaKey || e.altKey || document.querySelector('dialog[open]')) return;
    if (e.target.tagName === 'BUTTON' && (e.key === ' ' || e.key === 'Enter')) return;
    const does = { ' ': acts.load, 1: acts['kill-1'], 2: acts['kill-2'], 3: acts.cut, 4: acts.database, h: acts.heal, l: Lab.toggleLang, t: Lab.toggleTheme, '?': () => Lab.help(keyTable, false) }[e.key.toLowerCase()];
    if (does) { e.preventDefault(); does(); }
  });
  $('dock').addEventListener('click', (e) => { const b = e.target.closest('[data-act]'); if (b) acts[b.dataset.act](); });
  $('dock').addEventListener('input', () => { dialling = true; fillDock(); });
  $('dock').addEventListener('change', (e) => { dialling = false; act({ do: e.target.id.slice(5), n: Number(e.target.value) }); });
  $('play').addEventListener('click', acts.load);
  $('theme').addEventListener('click', Lab.toggleTheme);
  addEventListener('resize', draw);

  function tell(is) {
    if (connected && !is) document.body.dataset.losses = Number(document.body.dataset.losses || 0) + 1;
    connected = is;
    document.body.dataset.connected = is ? 'yes' : 'no';
    document.querySelectorAll('#dock button, #dock input, #play').forEach((b) => { b.disabled = !is || (b.dataset.act === 'database' && !canStop); });
    draw();
  }
  let due = false;
  function listen() {
    const source = new EventSource('/api/readings');
    source.addEventListener('reading', (e) => {
      take(JSON.parse(e.data));
      // What was missed comes in one go, and is drawn once.
      if (!due) { due = true; setTimeout(() => { due = false; draw(); }, 0); }
    });
    source.onopen = () => tell(true);
    source.onerror = () => tell(false);
  }
  Lab.onChange(() => { $('dock').innerHTML = ''; drawDock(); $('narrator').dataset.said = ''; draw(); });
  (async () => {
    Lab.begin(Words);
    const stage = await fetch('/api/stage').then((s) => s.json());
    canStop = stage.canStop;
    $('seed').textContent = stage.seed;
    drawDock(); drawNarrator();
    listen();
    if (document.fonts) document.fonts.ready.then(draw);
  })();
})();
