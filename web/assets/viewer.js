'use strict';
// The viewer: one film, lanes from PSP to ledger, a cursor in time.
(() => {
  const { T, glyph, lamp, fates, lineColour, wordColour, brl, signed, clock, escape, tail, rem } = Lab;
  const $ = (id) => document.getElementById(id);
  const film = JSON.parse($('film').textContent), page = JSON.parse($('page').textContent);
  Lab.setStart(film.start);

  const byT = (a, b) => a.t - b.t;
  film.lines.sort(byT); film.postings.sort(byT); film.wrongs.sort(byT); film.inbox.sort(byT);
  const broken = film.invariants.filter((i) => !i.held).sort((a, b) => (a.n || 1e18) - (b.n || 1e18));
  const pixOf = new Map(film.pix.map((p) => [p.e2e, p]));
  const firstWrong = film.wrongs[0];
  const violation = firstWrong ? firstWrong.t : broken.length && broken[0].t ? broken[0].t : 0;
  const violationID = firstWrong ? firstWrong.inv : broken.length ? broken[0].id : '';
  const end = Math.max(film.end, 1e6);
  const stops = [...new Set(film.events.map((e) => e.t))].filter((t) => t <= end);

  let cursor = 0, from = 0, to = end, selected = '', tab = broken.length ? 'story' : 'laws';
  let playing = false, speed = 1, geometry = null;

  // before counts the entries of a sorted list up to t.
  function before(list, t) {
    let lo = 0, hi = list.length;
    while (lo < hi) { const mid = (lo + hi) >> 1; if (list[mid].t <= t) lo = mid + 1; else hi = mid; }
    return lo;
  }
  function running(list, value) {
    let sum = 0;
    const sums = [0];
    for (const x of list) sums.push(sum += value(x));
    return (t) => sums[before(list, t)];
  }
  const settlement = film.postings.filter((p) => p.cents);
  const statementAt = running(film.lines, (l) => l.cents), ledgerAt = running(settlement, (p) => p.cents), gapAt = running(film.wrongs, (w) => w.cents);

  // The first look: the story, or the busiest part of the run.
  function frameStory() {
    if (film.story.length) {
      const a = film.story[0].t, b = film.story[film.story.length - 1].t, room = Math.max((b - a) * 0.28, 2000);
      [from, to] = [Math.max(0, a - room), b + room];
      cursor = violation;
      selected = firstWrong.e2e;
      return;
    }
    if (violation) { [from, to] = [Math.max(0, violation - 2e6), violation + 1e6]; cursor = violation; } else { [from, to] = busiest(); cursor = from + (to - from) * 0.6; }
    const near = film.callbacks.filter((c) => c.arrive <= cursor).pop() || film.callbacks[0];
    if (near) selected = near.e2e;
  }
  function busiest() {
    if (end <= 90e6) return [0, end];
    const times = film.callbacks.map((c) => c.leave).sort((a, b) => a - b), few = Math.min(8, times.length);
    let best = [0, end];
    for (let i = 0; i + few <= times.length && few > 1; i++) {
      const a = times[i], b = times[i + few - 1];
      if (b - a < best[1] - best[0]) best = [a, b];
    }
    const room = Math.max((best[1] - best[0]) * 0.2, 5000);
    return [Math.max(0, best[0] - room), Math.min(end, best[1] + room)];
  }

  function verdict() {
    const e = $('verdict'), total = film.invariants.length;
    e.className = 'verdict' + (film.verdict === 'held' ? ' held' : film.verdict === 'violated' ? '' : ' pending');
    if (film.verdict === 'held') {
      e.innerHTML = `${lamp('held')}<div><h1>${T('held.title', total, total)}</h1><p>${T('held.sub')}</p></div><div></div>`;
      return;
    }
    if (film.verdict !== 'violated') {
      e.innerHTML = `${lamp('open')}<div><h1>${T('pending.title')}</h1><p>${escape((film.pending || []).join('; '))}</p></div><div></div>`;
      return;
    }
    const first = broken[0], title = T('title.' + violationID) === 'title.' + violationID ? T('title.other', T('inv.' + first.id)) : T('title.' + violationID);
    const more = broken.length > 1 ? ' ' + T('sub.more', broken.length - 1) : '';
    const sum = firstWrong ? gapAt(violation) : 0;
    e.innerHTML = `${lamp('broken')}<div><h1>${title}</h1><p>${T('sub.broke', first.id, first.n, film.events.length)}${more}</p></div><div class="amount">` +
      (sum ? `<p class="number">${sum > 0 ? '+' : '\u2212'}<small>R$</small>${Lab.digits(sum)}</p><p>${T(sum > 0 ? 'tooMuch' : 'tooLittle')}</p>` : '') + '</div>';
  }

  // Lanes.
  const bands = () => ['psp', 'wire', ...Array.from({ length: film.instances }, (_, i) => String(i + 1)), 'ledger'];
  function layout(width, height) {
    const r = rem(), flag = 2.25 * r, axis = 2.125 * r, room = height - flag - axis;
    const share = (b) => (b === 'psp' ? 0.17 : b === 'wire' ? 0.26 : b === 'ledger' ? 0.22 : 0.35 / film.instances);
    const y = {};
    let top = flag;
    for (const b of bands()) { y[b] = [top, top + share(b) * room]; top += share(b) * room; }
    return { width, height, r, flag, axis, left: 6.5 * r, right: width - 0.25 * r, y };
  }
  const text = (x, y, s, o = {}) => `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" font-size="${rem()}" dominant-baseline="central" text-anchor="${o.anchor || 'start'}" font-weight="${o.weight || 450}" fill="${o.fill || 'var(--ink)'}"${o.halo ? ' stroke="var(--surface)" stroke-width="5" paint-order="stroke" stroke-linejoin="round"' : ''}>${s}</text>`;
  const canvas = document.createElement('canvas').getContext('2d');
  function wide(s, weight = 600) { canvas.font = `${weight} ${rem()}px "Inter Lab", system-ui, sans-serif`; return canvas.measureText(s).width; }

  function arrow(c, g, strong) {
    const [family, dash, head] = fates[c.fate] || fates.ok;
    const x1 = g.x(c.leave), yTop = g.y.psp[1], lost = !c.instance;
    const lane = lost ? null : g.y[String(c.instance)];
    const yEnd = lost ? yTop + (g.y.wire[1] - yTop) * (c.fate === 'no_answer' ? 1 : 0.6) : lane[0] + (lane[1] - lane[0]) * 0.12;
    const x2 = g.x(Math.max(c.arrive || c.leave, c.leave)) + (lost && c.arrive <= c.leave ? 0.75 * g.r : 0);
    const colour = `var(${lineColour[family]})`, width = strong ? 3 : 2.25;
    const dx = x2 - x1, dy = yEnd - yTop, length = Math.hypot(dx, dy) || 1, ux = dx / length, uy = dy / length, size = 0.72 * g.r;
    const bx = x2 - ux * size, by = yEnd - uy * size;
    let line;
    if (dash === 'zigzag') {
      const n = 7, sx = x1 + dx * 0.35, sy = yTop + dy * 0.35;
      let d = `M${sx} ${sy}`;
      for (let i = 1; i <= n; i++) { const k = i / (n + 1), s = (i % 2 ? 1 : -1) * 0.28 * g.r; d += `L${sx + (bx - sx) * k - uy * s} ${sy + (by - sy) * k + ux * s}`; }
      line = `<path d="${d}L${bx} ${by}"/><circle cx="${sx}" cy="${sy}" r="${0.32 * g.r}" fill="var(--surface)"/>`;
    } else if (dash.startsWith('double')) {
      const s = 0.17 * g.r, more = dash === 'double-dash' ? ' stroke-dasharray="10 6"' : '';
      line = `<path d="M${x1 - uy * s} ${yTop + ux * s}L${bx - uy * s} ${by + ux * s}M${x1 + uy * s} ${yTop - ux * s}L${bx + uy * s} ${by - ux * s}"${more}/>`;
    } else line = `<path d="M${x1} ${yTop}L${bx} ${by}"${dash ? ` stroke-dasharray="${dash}"` : ''}/>`;
    const px = -uy * size * 0.5, py = ux * size * 0.5;
    const heads = {
      full: `<path d="M${x2} ${yEnd}L${bx + px} ${by + py}L${bx - px} ${by - py}Z" fill="${colour}"/>`,
      open: `<path d="M${x2} ${yEnd}L${bx + px} ${by + py}L${bx - px} ${by - py}Z" fill="var(--surface)"/>`,
      cross: `<path d="M${x2 - size / 2} ${yEnd - size / 2}l${size} ${size}m0 ${-size}l${-size} ${size}" stroke-width="3"/>`,
      wall: `<path d="M${x2 - size * 0.8} ${yEnd}h${size * 1.6}" stroke-width="4"/>`,
      diamond: `<path d="M${x2} ${yEnd}L${(x2 + bx) / 2 + px} ${(yEnd + by) / 2 + py}L${bx} ${by}L${(x2 + bx) / 2 - px} ${(yEnd + by) / 2 - py}Z" fill="var(--surface)"/>`,
    };
    return `<g fill="none" stroke="${colour}" stroke-width="${width}" stroke-linecap="round" stroke-linejoin="round"${strong ? '' : ` opacity="${c.leave > cursor ? 0.4 : 0.62}"`}>${line}${heads[head]}</g>`;
  }

  function work(c, g, strong) {
    if (!c.stored || !c.instance) return '';
    const lane = g.y[String(c.instance)], mid = (lane[0] + lane[1]) / 2, x1 = g.x(c.stored);
    const done = c.booked || c.answered || c.stored, x2 = Math.max(g.x(done), x1 + 0.5 * g.r);
    const bad = strong && c.booked && firstWrong && c.e2e === firstWrong.e2e && c.booked === firstWrong.t;
    const colour = bad ? 'var(--bad)' : strong ? 'var(--ink)' : 'var(--edge)', fade = strong ? 1 : done > cursor ? 0.35 : 0.6;
    let out = `<path d="M${x1} ${mid}H${x2}" stroke="${colour}" stroke-width="${0.5 * g.r}" stroke-linecap="round" opacity="${fade}"/>`;
    if (c.booked) out += `<path d="M${x2} ${mid}V${g.y.ledger[0]}" stroke="${colour}" stroke-width="${strong ? 2.5 : 1.75}" opacity="${fade}"/><circle cx="${x2}" cy="${g.y.ledger[0]}" r="${0.22 * g.r}" fill="${colour}" opacity="${fade}"/>`;
    return out;
  }

  function gapBand(g) {
    const base = g.y.ledger[1], room = (g.y.ledger[1] - g.y.ledger[0]) * 0.42;
    let top = 1, sum = 0;
    for (const w of film.wrongs) { sum += w.cents; top = Math.max(top, Math.abs(sum)); }
    let d = '', x = g.x(from);
    sum = gapAt(from);
    for (const w of [...film.wrongs.filter((q) => q.t > from && q.t < to), { t: to, cents: 0 }]) {
      const next = g.x(w.t);
      if (sum) d += `M${x} ${base}V${base - Math.max(3, Math.abs(sum) / top * room)}H${next}V${base}Z`;
      sum += w.cents; x = next;
    }
    return d ? `<path d="${d}" fill="var(--bad)" opacity=".4"/>` : '';
  }

  function outage(o, g) {
    const lanes = o.place === 'instance' ? [String(o.instance)] : o.place === 'psp' ? ['psp'] : o.place === 'store' ? ['ledger'] : [];
    return lanes.map((l) => {
      const [y1, y2] = g.y[l], x1 = Math.max(g.x(o.from), g.left), x2 = Math.min(g.x(o.to), g.right);
      if (x2 <= x1) return '';
      const label = x2 - x1 > 4.5 * g.r ? `<g transform="translate(${x1 + 0.5 * g.r} ${(y1 + y2) / 2 - 0.6 * g.r}) scale(${g.r / 20})" fill="none" stroke="var(--ink)" stroke-width="2">${'<path d="M13.500 2.500L5 13.500h6l-1.500 8L19 10h-6.500z"/>'}</g>` + text(x1 + 1.9 * g.r, (y1 + y2) / 2, T('down'), { halo: true, weight: 550 }) : '';
      return `<rect x="${x1}" y="${y1 + 3}" width="${x2 - x1}" height="${y2 - y1 - 6}" rx="6" fill="url(#hatch)" stroke="var(--edge)"/>${label}`;
    }).join('');
  }

  const steps = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 1e4, 2e4, 5e4, 1e5, 2e5, 5e5, 1e6, 2e6, 5e6, 1e7, 3e7, 6e7, 3e8, 6e8, 18e8, 36e8, 72e8, 216e8, 864e8];
  function axis(g) {
    const label = wide(clock(from, 3)) + 1.5 * g.r;
    const every = steps.find((s) => s / (to - from) * (g.right - g.left) > label) || steps[steps.length - 1];
    const digitsShown = every >= 1e6 ? 0 : every >= 1e5 ? 1 : every >= 1e4 ? 2 : 3;
    let out = '';
    const taken = Math.min(Math.max(g.x(cursor), g.left), g.right);
    for (let t = Math.ceil(from / every) * every; t <= to; t += every) {
      const x = g.x(t);
      out += `<path d="M${x} ${g.height - g.axis}v6" stroke="var(--edge)" stroke-width="1.5"/>`;
      if (Math.abs(x - taken) > label && x + label / 2 < g.right && x - label / 2 > g.left - 2 * g.r) out += text(x, g.height - g.axis / 2 + 2, clock(t, digitsShown), { anchor: 'middle', fill: 'var(--ink2)' });
    }
    const s = clock(cursor), w = wide(s, 650) + g.r, x = Math.min(Math.max(taken, g.left + w / 2), g.right - w / 2);
    out += `<rect x="${x - w / 2}" y="${g.height - g.axis + 4}" width="${w}" height="${g.axis - 7}" rx="6" fill="var(--ink)"/>` + text(x, g.height - g.axis / 2 + 1, s, { anchor: 'middle', weight: 650, fill: 'var(--surface)' });
    return out + text(g.r, g.height - g.axis / 2 + 2, 'São Paulo', { fill: 'var(--ink2)' });
  }

  const overlaps = (a, list) => list.some((b) => a[0] < b[2] && b[0] < a[2] && a[1] < b[3] && b[1] < a[3]);
  // labels puts a word beside an arrow where it crosses nothing else: first come, first served.
  function labels(list, g, taken) {
    let out = '';
    for (const c of list) {
      if (c.fate === 'ok') continue;
      const family = fates[c.fate][0], s = T('fate.' + c.fate), w = wide(s), yTop = g.y.psp[1];
      const x1 = g.x(c.leave), x2 = g.x(Math.max(c.arrive, c.leave)), yEnd = g.y.wire[1];
      for (const k of [0.5, 0.35, 0.65, 0.2, 0.8]) {
        const x = x1 + (x2 - x1) * k, y = yTop + (yEnd - yTop) * k;
        const spot = [[x + 0.6 * g.r, 'start'], [x - 0.6 * g.r - w, 'start']].find(([left]) => left > g.left && left + w < g.right && !overlaps([left, y - 0.6 * g.r, left + w, y + 0.6 * g.r], taken));
        if (!spot) continue;
        taken.push([spot[0], y - 0.6 * g.r, spot[0] + w, y + 0.6 * g.r]);
        out += text(spot[0], y, s, { weight: 600, fill: `var(${wordColour[family]})`, halo: true });
        break;
      }
    }
    return out;
  }

  function badges(g, taken) {
    if (!firstWrong || selected !== firstWrong.e2e) return '';
    let out = '', lastX = {};
    film.story.forEach((s, i) => {
      if (s.t < from || s.t > to) return;
      const lane = g.y[s.lane] || g.y.psp, y = (lane[0] + lane[1]) / 2 - (s.lane === 'ledger' ? 0.1 * (lane[1] - lane[0]) : 0), R = 0.8 * g.r;
      const x = Math.max(g.x(s.t), (lastX[s.lane] ?? -1e9) + 2 * R + 2);
      lastX[s.lane] = x;
      out += s.bad ? `<rect x="${x - R}" y="${y - R}" width="${2 * R}" height="${2 * R}" rx="4" fill="var(--bad)"/>` : `<circle cx="${x}" cy="${y}" r="${R}" fill="var(--ink)"/>`;
      out += text(x, y + 0.5, i + 1, { anchor: 'middle', weight: 750, fill: 'var(--surface)' });
      taken.push([x - R, y - R, x + R, y + R]);
      const word = s.cents ? (s.lane === 'ledger' ? signed(s.cents) : brl(s.cents)) : '', left = x + R + 6;
      if (word && left + wide(word, 700) < g.right && !overlaps([left, y - R, left + wide(word, 700), y + R], taken)) {
        out += text(left, y, word, { weight: 700, fill: s.bad ? 'var(--bad)' : 'var(--ink)', halo: true });
        taken.push([left, y - R, left + wide(word, 700), y + R]);
      }
    });
    return out;
  }

  function flags(g) {
    let out = '';
    if (film.return && film.return.t >= from && film.return.t <= to) {
      const x = g.x(film.return.t), s = T('return');
      out += `<path d="M${x} 4V${g.y.ledger[0]}" stroke="var(--ink)" stroke-width="2" stroke-dasharray="3 5"/>`;
      if (x - wide(s) - 12 > g.left) out += text(x - 8, g.flag / 2, s, { anchor: 'end', weight: 600 });
    }
    if (violation && violation >= from && violation <= to) {
      const s = T('breaks', violationID), w = wide(s, 700) + g.r, x = Math.min(g.x(violation), g.right - w);
      out += `<rect x="${x}" y="4" width="${w}" height="${g.flag - 8}" fill="var(--badfill)"/>` + text(x + w / 2, g.flag / 2, s, { anchor: 'middle', weight: 700, fill: 'var(--onbad)' });
    }
    return out;
  }

  function drawLanes() {
    const svg = $('lanes'), g = layout(svg.clientWidth, svg.clientHeight);
    g.x = (t) => g.left + (t - from) / (to - from) * (g.right - g.left);
    g.t = (x) => from + (x - g.left) / (g.right - g.left) * (to - from);
    geometry = g;
    let out = '<defs><pattern id="hatch" width="9" height="9" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><path d="M0 0V9" stroke="var(--edge)" stroke-width="2"/></pattern>' +
      `<clipPath id="plot"><rect x="${g.left}" y="0" width="${g.right - g.left}" height="${g.height}"/></clipPath></defs>`;
    for (const b of bands()) {
      const [y1, y2] = g.y[b], name = b === 'psp' || b === 'wire' || b === 'ledger' ? T('lane.' + b) : T('lane.receiver', b);
      out += `<rect x="0" y="${y1}" width="${g.width}" height="${y2 - y1}" fill="${b === 'wire' ? 'none' : 'var(--well)'}" opacity=".45"/><path d="M0 ${y1}H${g.width}" stroke="var(--rule)"/>`;
      out += text(g.r, (y1 + y2) / 2, name, { weight: b === 'wire' ? 450 : 650, fill: b === 'wire' ? 'var(--ink2)' : 'var(--ink)' });
    }
    out += `<path d="M0 ${g.y.ledger[1]}H${g.width}" stroke="var(--rule)"/>`;
    const seen = film.callbacks.filter((c) => c.leave <= to && Math.max(c.leave, c.arrive, c.booked || 0) >= from);
    const mine = seen.filter((c) => c.e2e === selected), others = seen.filter((c) => c.e2e !== selected);
    let inner = film.outages.filter((o) => o.from < to && o.to > from).map((o) => outage(o, g)).join('') + gapBand(g);
    const settled = film.lines.filter((l) => l.t >= from && l.t <= to);
    inner += settled.slice(0, 600).map((l) => `<circle cx="${g.x(l.t)}" cy="${g.y.psp[1] - 0.55 * g.r}" r="${0.24 * g.r}" fill="${l.e2e === selected ? 'var(--ink)' : 'var(--edge)'}"/>`).join('');
    inner += others.length <= 400 ? others.map((c) => work(c, g, false) + arrow(c, g, false)).join('') : crowd(others, g);
    inner += mine.map((c) => work(c, g, true) + arrow(c, g, true)).join('');
    const taken = [], marks = badges(g, taken), x = g.x(cursor);
    const veil = `<rect x="${x}" y="${g.flag}" width="${Math.max(0, g.right - x)}" height="${g.height - g.flag - g.axis}" fill="var(--surface)" opacity=".4"/>`;
    const words = others.length <= 60 ? labels([...mine, ...others], g, taken) : labels(mine, g, taken);
    out += `<g clip-path="url(#plot)">${inner}${veil}${words}<path d="M${x} ${g.flag}V${g.height - g.axis + 4}" stroke="var(--ink)" stroke-width="2"/>${marks}${flags(g)}</g>` + axis(g);
    svg.setAttribute('viewBox', `0 0 ${g.width} ${g.height}`);
    svg.setAttribute('aria-label', T('lanes'));
    svg.innerHTML = out;
  }
  // crowd draws very many callbacks as one path a family.
  function crowd(list, g) {
    const paths = {};
    for (const c of list) {
      const family = fates[c.fate][0], lane = c.instance ? g.y[String(c.instance)][0] : g.y.wire[1] - g.r;
      paths[family] = (paths[family] || '') + `M${g.x(c.leave).toFixed(1)} ${g.y.psp[1].toFixed(1)}L${g.x(Math.max(c.arrive, c.leave)).toFixed(1)} ${lane.toFixed(1)}`;
    }
    return Object.entries(paths).map(([f, d]) => `<path d="${d}" fill="none" stroke="var(${lineColour[f]})" stroke-width="1.25" opacity=".55"/>`).join('');
  }

  function drawMini() {
    const svg = $('mini'), w = svg.clientWidth, h = svg.clientHeight, r = rem(), x = (t) => 2 + t / end * (w - 4);
    let top = 1, sum = 0;
    for (const q of film.wrongs) { sum += q.cents; top = Math.max(top, Math.abs(sum)); }
    let out = `<rect width="${w}" height="${h}" rx="8" fill="var(--well)"/>`, d = `M2 ${h - 2}`;
    sum = 0;
    for (const q of film.wrongs) { d += `H${x(q.t).toFixed(1)}`; sum += q.cents; d += `V${(h - 2 - Math.abs(sum) / top * (h - 1.4 * r)).toFixed(1)}`; }
    if (film.wrongs.length) out += `<path d="${d}H${w - 2}V${h - 2}Z" fill="var(--bad)" opacity=".35"/><path d="${d}H${w - 2}" fill="none" stroke="var(--bad)" stroke-width="2"/>`;
    const ticks = {};
    for (const c of film.callbacks) ticks[fates[c.fate][0]] = (ticks[fates[c.fate][0]] || '') + `M${x(c.leave).toFixed(1)} 4v${(0.55 * r).toFixed(1)}`;
    for (const [f, p] of Object.entries(ticks)) out += `<path d="${p}" stroke="var(${lineColour[f]})" stroke-width="${f === 'clean' ? 1.25 : 2.5}"/>`;
    const x1 = x(from), x2 = Math.max(x(to), x1 + 4);
    out += `<rect x="${x1}" y="1.500" width="${x2 - x1}" height="${h - 3}" rx="4" fill="none" stroke="var(--ink)" stroke-width="2"/>`;
    out += `<path d="M${x(cursor)} 0V${h}" stroke="var(--ink)" stroke-width="2.500"/><path d="M${x(cursor) - 6} 0h12l-6 8z" fill="var(--ink)"/>`;
    out += text(8, h - 0.8 * r, clock(0, 0), { weight: 550, halo: false }) + text(w - 8, h - 0.8 * r, clock(end, 0), { anchor: 'end', weight: 550 });
    svg.setAttribute('viewBox', `0 0 ${w} ${h}`);
    svg.setAttribute('aria-label', T('wholeRun'));
    svg.setAttribute('aria-valuemax', String(Math.round(end / 1000)));
    svg.setAttribute('aria-valuenow', String(Math.round(cursor / 1000)));
    svg.setAttribute('aria-valuetext', clock(cursor));
    svg.innerHTML = out;
  }

  const who = (n) => T('lane.receiver', n);
  function stations() {
    const out = [];
    for (const l of film.lines) if (l.e2e === selected) out.push([l.t, T(l.cents < 0 ? 'life.refund_settled' : 'life.settled'), '', 'psp']);
    for (const c of film.callbacks) {
      if (c.e2e !== selected) continue;
      out.push([c.leave, c.fate === 'ok' ? T('life.sent') : T('fate.' + c.fate), 'family-' + fates[c.fate][0], c.fate]);
      if (c.stored) out.push([c.stored, T(/^known/.test(c.result) ? 'life.known' : 'life.stored', c.instance), '', 'inbox']);
      else if (c.status >= 400) out.push([c.answered, T('life.refused', c.status), '', 'cross']);
    }
    for (const p of film.postings) {
      if (p.e2e !== selected || !p.cents) continue;
      const bad = film.wrongs.some((w) => w.t === p.t && w.e2e === p.e2e), adjust = p.ref.startsWith('ajuste:');
      out.push([p.t, adjust ? T('life.adjusted') : T(p.cents < 0 ? 'life.returned' : 'life.credited'), bad ? 'bad' : 'good', bad ? 'cross' : 'check']);
    }
    for (const w of film.wrongs) if (w.e2e === selected && !film.postings.some((p) => p.t === w.t && p.e2e === w.e2e)) out.push([w.t, T('life.wrong'), 'bad', 'cross']);
    for (const s of film.inbox) if (s.e2e === selected && s.state === 'QUARANTINED') out.push([s.t, T('life.aside'), '', 'late']);
    return out.sort((a, b) => a[0] - b[0]);
  }
  function life() {
    const p = pixOf.get(selected), all = stations(), most = Math.max(4, Math.floor($('life').clientWidth / (7 * rem())));
    if (!p) { $('life').innerHTML = `<p class="soft">${T('noStory')}</p>`; return; }
    const at = all.filter((s) => s[0] <= cursor).length, first = Math.max(0, Math.min(all.length - most, at - Math.ceil(most * 0.75))), shown = all.slice(first, first + most);
    const e2e = escape(p.e2e);
    $('life').innerHTML = `<h2><span>${T('life')}</span><span class="mono">${e2e.slice(0, -4)}<b>${e2e.slice(-4)}</b></span><span class="amount">${brl(p.cents)}</span></h2><ol>` +
      shown.map(([t, word, kind, g]) => `<li class="${kind.startsWith('family') ? '' : kind}${t > cursor ? ' later' : ''}"><span class="dot ${kind.startsWith('family') ? kind : ''}">${glyph(g)}</span><b>${word}</b><span class="soft">${clock(t, 3).slice(end > 36e8 ? 0 : 3)}</span></li>`).join('') + '</ol>';
  }

  function sentence(s) {
    const actor = s.instance ? who(s.instance) : T('lane.psp'), capital = actor.charAt(0).toUpperCase() + actor.slice(1);
    const key = 'story.' + s.k;
    if (s.k === 'settled') return T(key, tail(selected));
    if (s.k === 'refund_settled') return T(key, brl(Math.abs(s.cents)));
    if (['credited', 'credited_again', 'returned'].includes(s.k)) return T(key, capital, brl(Math.abs(s.cents)));
    return T(key, capital);
  }
  function storyPane() {
    if (!film.story.length || selected !== firstWrong.e2e) return `<p class="soft">${T('noStory')}</p>` + laterPane();
    return '<ol class="story">' + film.story.map((s, i) => `<li data-t="${s.t}"${s.bad ? ' class="bad"' : ''}><span class="number">${i + 1}</span><span>${sentence(s)}${s.bad ? ' ' + T('story.breaks', violationID) : ''}</span></li>`).join('') + '</ol>' + laterPane();
  }
  function laterPane() {
    const rest = broken.filter((b) => b.id !== violationID);
    if (!rest.length) return '';
    return `<h3>${T('broken.later', rest.map((b) => b.id).join(', '))}</h3>` + rest.filter((b) => b.detail).slice(0, 3).map((b) => `<p class="soft">${escape(b.id)}: ${escape(b.detail)}</p>`).join('');
  }
  function lawsPane() {
    const order = [...film.invariants].sort((a, b) => Number(a.held) - Number(b.held));
    return '<ul class="laws">' + order.map((i) => `<li class="${i.held ? '' : 'bad'}">${lamp(i.held ? 'held' : 'broken')}<span class="id">${i.id}</span><span>${T('inv.' + i.id)}${i.held ? '' : `<span class="hidden">: ${T('broken.word')}</span>`}</span></li>`).join('') + '</ul>';
  }
  function accountsPane() {
    const sums = {}, latest = new Map(), counts = { PROCESSED: 0, RECEIVED: 0, QUARANTINED: 0 };
    for (const p of film.postings) { if (p.t > cursor) break; for (const [a, c] of Object.entries(p.acc)) sums[a] = (sums[a] || 0) + c; }
    for (const s of film.inbox) { if (s.t > cursor) break; latest.set(s.id, s); }
    for (const s of latest.values()) counts[s.state] = (counts[s.state] || 0) + 1;
    const rows = Object.keys(sums).sort().map((a) => `<tr><td class="mono">${escape(a)}</td><td>${brl(sums[a])}</td></tr>`).join('');
    const mine = [...latest.values()].filter((s) => s.e2e === selected);
    const cases = new Map();
    for (const c of film.cases) if (c.t <= cursor) cases.set(c.id, c);
    const open = [...cases.values()].filter((c) => c.state === 'OPEN');
    return `<table class="book">${rows || `<tr><td class="soft">${T('none')}</td></tr>`}</table><h3>${T('inboxAll')}</h3><table class="book">` +
      [['processed', counts.PROCESSED], ['received', counts.RECEIVED], ['quarantined', counts.QUARANTINED]].map(([k, n]) => `<tr><td>${T(k)}</td><td>${n || 0}</td></tr>`).join('') + '</table>' +
      `<h3>${T('inboxOf')}</h3><table class="book">${mine.map((s) => `<tr><td class="mono">${escape(s.key.split(':')[0])}:…${tail(s.key)}${s.reason ? `<span class="soft"> ${escape(s.reason)}</span>` : ''}</td><td>${escape(s.quarantine || s.state)}</td></tr>`).join('') || `<tr><td class="soft">${T('none')}</td></tr>`}</table>` +
      `<h3>${T('cases')}</h3><table class="book">${open.map((c) => `<tr><td>${escape(c.reason)} …${tail(c.e2e || c.id)}</td><td>${brl(c.cents)}</td></tr>`).join('') || `<tr><td class="soft">${T('none')}</td></tr>`}</table>`;
  }
  function panel() {
    const s = statementAt(cursor), l = ledgerAt(cursor), gap = gapAt(cursor), n = film.events[before(film.events, cursor) - 1];
    $('state').innerHTML = `<h2><span>${T('state', clock(cursor))}</span><span class="soft">${T('event', n ? n.n : 0)}</span></h2><dl><dt>${T('statement')}</dt><dd>${brl(s)}</dd><dt>${T('way')}</dt><dd>${brl(s + gap - l)}</dd><dt>${T('ledger')}</dt><dd>${brl(l)}</dd>` +
      `<dt class="gap ${gap ? 'bad' : ''}">${T('gap')}</dt><dd class="gap ${gap ? 'bad' : ''}">${signed(gap)}</dd></dl>`;
    const held = film.invariants.filter((i) => i.held).length;
    $('tabs').innerHTML = [['story', T('story')], ['laws', T('invariants', `${held}/${film.invariants.length}`)], ['accounts', T('accounts')]].map(([k, w]) => `<button role="tab" data-tab="${k}" aria-selected="${tab === k}">${w}</button>`).join('');
    $('pane').innerHTML = tab === 'story' ? storyPane() : tab === 'laws' ? lawsPane() : accountsPane();
  }

  let queued = false;
  function draw() {
    if (queued) return;
    queued = true;
    requestAnimationFrame(() => {
      queued = false;
      keepInView();
      drawLanes(); drawMini(); life(); panel();
      $('play').innerHTML = glyph(playing ? 'pause' : 'play');
    });
  }
  function keepInView() {
    const w = to - from;
    if (cursor >= from && cursor <= to) return;
    from = Math.max(0, cursor - w * 0.6);
    to = from + w;
  }
  const clamp = (t) => Math.max(0, Math.min(end, t));
  function go(t) { cursor = clamp(t); draw(); }
  function jump(direction) {
    playing = false;
    if (direction > 0) { const t = stops.find((s) => s > cursor); go(t === undefined ? end : t); return; }
    let t = 0;
    for (const s of stops) { if (s >= cursor) break; t = s; }
    go(t);
  }
  function toViolation() { if (violation) frameStory(); else cursor = end; draw(); }
  function zoom(factor) {
    const w = Math.max(1000, Math.min(end * 1.02, (to - from) * factor)), share = (cursor - from) / (to - from);
    from = Math.max(0, cursor - w * share); to = from + w;
    draw();
  }
  function storyStep(direction) {
    const ts = film.story.map((s) => s.t), t = direction > 0 ? ts.find((s) => s > cursor) : ts.filter((s) => s < cursor).pop();
    if (t !== undefined) go(t);
  }
  const speeds = [0.1, 0.25, 0.5, 1, 2, 4];
  function faster() { speed = speeds[(speeds.indexOf(speed) + 1) % speeds.length]; showSpeed(); }
  function showSpeed() { $('speed').textContent = String(speed).replace('.', Lab.lang === 'pt' ? ',' : '.') + '×'; }
  function copy() {
    const done = () => Lab.toast(T('copied'));
    if (navigator.clipboard && isSecureContext) { navigator.clipboard.writeText(page.command).then(done, () => selectCommand(done)); return; }
    selectCommand(done);
  }
  // From disk there is no clipboard of the page's own: select and copy as a person would.
  function selectCommand(done) {
    const range = document.createRange();
    range.selectNodeContents($('command'));
    getSelection().removeAllRanges();
    getSelection().addRange(range);
    if (document.execCommand('copy')) done();
  }
  function find(q) {
    const hit = q && film.pix.find((p) => p.e2e === q || p.e2e.endsWith(q) || p.txid === q || p.subject === q || p.charge === q);
    if (!hit) { if (q) Lab.toast(T('notFound')); return; }
    selected = hit.e2e;
    const first = stations()[0];
    if (first) go(first[0]); else draw();
  }

  function pick(e) {
    const box = $('lanes').getBoundingClientRect(), g = geometry, x = (e.clientX - box.left) * g.width / box.width, y = (e.clientY - box.top) * g.height / box.height;
    let best = null, near = 14;
    for (const c of film.callbacks) {
      const x1 = g.x(c.leave), x2 = g.x(Math.max(c.arrive, c.leave)), y1 = g.y.psp[1], y2 = c.instance ? g.y[String(c.instance)][0] : g.y.wire[1];
      const k = Math.max(0, Math.min(1, (y - y1) / (y2 - y1 || 1))), d = Math.hypot(x - (x1 + (x2 - x1) * k), y - (y1 + (y2 - y1) * k));
      if (d < near) { near = d; best = c; }
    }
    return best;
  }
  function drag(element, move) {
    element.addEventListener('pointerdown', (e) => { element.setPointerCapture(e.pointerId); move(e, true); element.onpointermove = (m) => move(m, false); });
    element.addEventListener('pointerup', () => { element.onpointermove = null; });
  }
  drag($('lanes'), (e, first) => {
    const hit = first && pick(e);
    if (hit) selected = hit.e2e;
    const box = $('lanes').getBoundingClientRect();
    go(Math.max(from, Math.min(to, geometry.t((e.clientX - box.left) * geometry.width / box.width))));
  });
  drag($('mini'), (e) => { const box = $('mini').getBoundingClientRect(); go((e.clientX - box.left) / box.width * end); });
  $('lanes').addEventListener('wheel', (e) => { e.preventDefault(); zoom(e.deltaY > 0 ? 1.2 : 1 / 1.2); }, { passive: false });

  const keyTable = [['key.space', 'key.play'], ['← →', 'key.event'], ['Shift ← →', 'key.second'], ['[ ]  1…6', 'key.story'], ['V', 'key.violation'], ['P', 'key.return'], ['+ −', 'key.zoom'], ['/', 'key.find'], ['C', 'key.copy'], ['L · T', 'key.look']];
  const actions = {
    ' ': () => { playing = !playing; draw(); }, home: () => go(0), end: () => go(end), v: toViolation, p: () => film.return && go(film.return.t), c: copy, s: faster, l: Lab.toggleLang, t: Lab.toggleTheme,
    '+': () => zoom(1 / 1.4), '=': () => zoom(1 / 1.4), '-': () => zoom(1.4), '[': () => storyStep(-1), ']': () => storyStep(1), '/': () => $('find').focus(), '?': () => Lab.help(keyTable),
  };
  addEventListener('keydown', (e) => {
    if (e.target.tagName === 'INPUT' || e.ctrlKey || e.metaKey || e.altKey) return;
    if (e.target.tagName === 'BUTTON' && (e.key === ' ' || e.key === 'Enter')) return;
    const key = e.key.toLowerCase();
    if (key === 'arrowright' || key === 'arrowleft') {
      const direction = key === 'arrowright' ? 1 : -1;
      e.preventDefault();
      if (e.shiftKey) go(cursor + direction * (to - from) / 10); else jump(direction);
    } else if (key >= '1' && key <= '6' && film.story[key - 1]) go(film.story[key - 1].t);
    else if (actions[key]) { e.preventDefault(); actions[key](); }
  });
  const on = (id, f) => $(id).addEventListener('click', f);
  on('start', () => go(0)); on('back', () => jump(-1)); on('step', () => jump(1)); on('play', actions[' ']); on('speed', faster); on('copy', copy); on('theme', Lab.toggleTheme); on('violation', toViolation);
  on('tabs', (e) => { const b = e.target.closest('[data-tab]'); if (b) { tab = b.dataset.tab; panel(); } });
  on('pane', (e) => { const li = e.target.closest('[data-t]'); if (li) go(Number(li.dataset.t)); });
  $('find').addEventListener('keydown', (e) => { if (e.key === 'Enter') { find(e.target.value.trim()); e.target.blur(); } if (e.key === 'Escape') e.target.blur(); });
  addEventListener('resize', draw);

  function relabel() {
    $('find').placeholder = T('find');
    $('command').textContent = page.command;
    $('hash').textContent = film.hash ? film.hash.slice(0, 11) + '…' + film.hash.slice(-4) : '';
    $('hash').title = film.hash || '';
    $('violation').textContent = T(violation ? 'toViolation' : 'toEnd');
    document.title = `pixlab · seed ${film.seed} · ${broken.length ? broken.map((b) => b.id).join(', ') : film.verdict}`;
    showSpeed(); verdict(); draw();
  }
  Lab.onChange(relabel);
  frameStory();
  if (Lab.query.get('t')) cursor = clamp(Number(Lab.query.get('t')) * 1e6);
  if (Lab.query.get('pix')) find(Lab.query.get('pix'));
  if (Lab.query.get('tab')) tab = Lab.query.get('tab');
  Lab.begin(Words);
  if (Lab.query.get('open') === 'keys') Lab.help(keyTable);
  if (Lab.query.get('play')) playing = true;
  if (document.fonts) document.fonts.ready.then(draw);

  // Playing: real time, but quiet stretches of more than two seconds are skipped.
  let last = null;
  requestAnimationFrame(function frame(now) {
    if (playing && last !== null) {
      cursor += Math.min(100, now - last) * 1000 * speed;
      const next = nextStop(cursor);
      if (next - cursor > 2e6 * speed) cursor = next - 3e5 * speed;
      if (cursor >= end) { cursor = end; playing = false; }
      draw();
    }
    last = now;
    requestAnimationFrame(frame);
  });
  function nextStop(t) {
    let lo = 0, hi = stops.length;
    while (lo < hi) { const mid = (lo + hi) >> 1; if (stops[mid] <= t) lo = mid + 1; else hi = mid; }
    return lo < stops.length ? stops[lo] : end;
  }
})();
