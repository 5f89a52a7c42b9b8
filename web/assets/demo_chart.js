'use strict';
// Statement and ledger of one side over time, the gap between them filled: the
// gap alone, never what is on its way. However many postings there are, no more
// is drawn than the chart has pixels.
function drawChart(svg, side, t, bad, top) {
  const { T, brl, rem } = Lab;
  const w = svg.clientWidth, h = svg.clientHeight, r = rem(), to = Math.max(t, 12e6), base = h - 3, roof = 1.75 * r;
  const x = (s) => 2 + s / to * (w - 8), y = (c) => base - Math.max(0, c) / top * (base - roof);
  // moments are the instants of a list, or one a pixel where there are more.
  function moments(list) {
    const n = side.before(list, t);
    if (n <= w) return list.slice(0, n).map((e) => e.t);
    return Array.from({ length: Math.ceil(w) }, (_, i) => Math.min(t, (i + 1) / w * to)).filter((q, i, all) => q < t || i === 0 || all[i - 1] < t);
  }
  function line(list, value) {
    let d = `M${x(0)} ${y(0)}`;
    for (const q of moments(list)) d += `H${x(q).toFixed(1)}V${y(value(q)).toFixed(1)}`;
    return d + `H${x(t).toFixed(1)}`;
  }
  let fill = '';
  if (bad) {
    const at = [...moments(side.postings), ...moments(side.film.wrongs), t].sort((a, b) => a - b);
    const up = at.map((q) => [x(q).toFixed(1), y(side.ledger(q)).toFixed(1)]), low = at.map((q) => [x(q).toFixed(1), y(side.ledger(q) - side.gap(q)).toFixed(1)]).reverse();
    fill = `<path d="${up.map(([a, b], i) => (i ? `H${a}V${b}` : `M${a} ${b}`)).join('')}${low.map(([a, b], i) => (i ? `V${b}H${a}` : `L${a} ${b}`)).join('')}Z" fill="var(--bad)" opacity=".3"/>`;
  }
  const colour = bad ? 'var(--bad)' : 'var(--goodline)';
  const key = (at, c, ink, word) => `<path d="M${at} ${0.6 * r}h${1.375 * r}" stroke="${c}" stroke-width="3.5"/><text x="${at + 1.75 * r}" y="${0.6 * r}" dominant-baseline="central" font-size="${r}" font-weight="600" fill="${ink}">${word}</text>`;
  svg.setAttribute('viewBox', `0 0 ${w} ${h}`);
  svg.setAttribute('aria-label', `${T('chart.ledger')} ${brl(side.ledger(t))}, ${T('chart.statement')} ${brl(side.statement(t))}`);
  svg.innerHTML = `<path d="M2 ${base}H${w - 6}" stroke="var(--rule)" stroke-width="1.5"/>${fill}<path d="${line(side.film.lines, side.statement)}" fill="none" stroke="var(--ink)" stroke-width="${bad ? 2.5 : 5}"/>` +
    `<path d="${line(side.postings, side.ledger)}" fill="none" stroke="${colour}" stroke-width="${bad ? 3.5 : 2.5}"/>` + key(2, colour, bad ? 'var(--bad)' : 'var(--good)', T('chart.ledger')) + key(2 + 5.75 * r, 'var(--ink)', 'var(--ink)', T('chart.statement'));
}

// Quiet lists the stretches of more than five seconds in which neither side
// shows anything, as [from, to]: the play passes over them.
function Quiet(films, end) {
  const at = [0, end];
  for (const f of films) {
    for (const c of f.callbacks) at.push(c.leave, c.arrive, c.stored || 0, c.booked || 0);
    for (const list of [f.lines, f.postings, f.wrongs, f.cases, f.inbox]) for (const e of list) at.push(e.t);
    for (const o of f.outages) at.push(o.from, o.to);
  }
  at.sort((a, b) => a - b);
  const out = [];
  for (let i = 1; i < at.length && at[i] <= end; i++) if (at[i] - at[i - 1] > 5e6) out.push([at[i - 1], at[i] - 1e6]);
  return out;
}
