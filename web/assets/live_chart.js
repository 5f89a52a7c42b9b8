'use strict';
// One chart of the last two minutes, or of as much as there is. There are as many points as readings, and of
// these no more than the server keeps, whatever the load.
function drawLine(svg, o) {
  const { rem } = Lab, r = rem(), w = svg.clientWidth, h = svg.clientHeight;
  if (w < 1 || h < 1) return;
  const left = (o.room || 3.25) * r, right = w - 2, roof = 1.5 * r, base = h - 0.5 * r, span = Math.min(120e3, Math.max(20e3, o.now));
  const from = o.now - span, x = (ms) => left + (Math.max(ms, from) - from) / span * (right - left);
  const scale = o.log ? (v) => Math.log10(Math.max(v, 1)) : (v) => v;
  const most = scale(Math.max(o.least, ...o.lines.flatMap((l) => l.points.map((p) => p[1] ?? 0))) * 1.1);
  const y = (v) => base - scale(v) / most * (base - roof);
  const text = (tx, ty, s, more) => `<text x="${tx.toFixed(1)}" y="${ty.toFixed(1)}" dominant-baseline="central" font-size="${r}" ${more}>${s}</text>`;
  // Ticks that would stand in each other's way are left out.
  let grid = '', free = base + r;
  for (const v of o.ticks(most)) {
    const ty = y(v);
    if (ty > free - 1.25 * r || ty < roof - 1) continue;
    free = ty;
    grid += `<path d="M${left} ${ty.toFixed(1)}H${right}" stroke="var(--rule)"/>` + text(left - 0.5 * r, ty, o.say(v), 'text-anchor="end" fill="var(--ink2)"');
  }
  const marks = o.marks.filter((m) => m >= from).map((m) => `<path d="M${x(m).toFixed(1)} ${roof}V${base}" stroke="var(--edge)" stroke-width="1.5" stroke-dasharray="2 4"/>`).join('');
  const lines = o.lines.map((l) => {
    let d = '', pen = false;
    for (const [ms, v] of l.points) {
      if (ms < from) continue;
      if (v === null || v === undefined) { pen = false; continue; }
      d += `${pen ? 'L' : 'M'}${x(ms).toFixed(1)} ${y(v).toFixed(1)}`;
      pen = true;
    }
    return d ? `<path d="${d}" fill="none" stroke="var(${l.colour})" stroke-width="${l.wide || 2.5}"${l.dash ? ` stroke-dasharray="${l.dash}"` : ''} stroke-linejoin="round" stroke-linecap="round"/>` : '';
  }).join('');
  let at = left;
  const key = o.lines.map((l) => {
    const out = `<path d="M${at} ${0.6 * r}h${1.25 * r}" stroke="var(${l.colour})" stroke-width="3.5"${l.dash ? ' stroke-dasharray="5 4"' : ''}/>` + text(at + 1.625 * r, 0.6 * r, l.word, 'fill="var(--ink)" font-weight="550"');
    at += 2.75 * r + l.word.length * 0.56 * r;
    return out;
  }).join('');
  svg.setAttribute('viewBox', `0 0 ${w} ${h}`);
  svg.setAttribute('aria-label', o.label);
  svg.innerHTML = grid + marks + lines + key;
}
