'use strict';
// One side of the stage: a film, and what its receiver made of each callback.
function Side(film) {
  const byT = (a, b) => a.t - b.t;
  for (const list of [film.lines, film.postings, film.wrongs, film.inbox]) list.sort(byT);
  const settlement = film.postings.filter((p) => p.cents);
  const wrongAt = new Map(film.wrongs.map((w) => [w.t + w.e2e, w]));
  const lineOf = new Map(film.lines.map((l) => [l.key, l]));
  const wrongsOf = new Map();
  for (const w of film.wrongs) wrongsOf.set(w.e2e, [...(wrongsOf.get(w.e2e) || []), w]);

  function before(list, t) {
    let lo = 0, hi = list.length;
    while (lo < hi) { const mid = (lo + hi) >> 1; if (list[mid].t <= t) lo = mid + 1; else hi = mid; }
    return lo;
  }
  function running(list) {
    const sums = [0];
    for (const x of list) sums.push(sums[sums.length - 1] + x.cents);
    return (t) => sums[before(list, t)];
  }
  const creditLine = (e2e) => lineOf.get(e2e);
  // outcome is what had become of a callback at an instant: a word, how it is
  // to be painted, and the wrong cents if any.
  function outcome(c, t) {
    if (t < c.arrive) return { word: 'way', kind: 'soft' };
    const wrongs = wrongsOf.get(c.e2e) || [];
    const missed = wrongs.find((w) => w.t <= t && (w.inv === 'I2' || w.inv === 'I4') && (w.cents < 0) === (c.cents > 0));
    if (c.fate === 'lost') {
      if (missed) return { word: 'never', kind: 'bad', cents: missed.cents };
      const line = creditLine(c.e2e);
      if (line && line.settled && line.settled <= t) return { word: 'swept', kind: 'saved' };
      return { word: 'waitSweep', kind: 'soft', glyph: 'late' };
    }
    if (c.fate === 'no_answer' || !c.instance) return { word: 'noAnswer', kind: 'soft' };
    if (c.status >= 400 && c.answered <= t) return c.status === 401 ? { word: 'refused', kind: 'saved' } : { word: 'refusedOther', value: c.status, kind: 'soft' };
    if (!c.stored || t < c.stored) return { word: 'way', kind: 'soft' };
    if (c.booked && c.booked <= t) {
      const w = wrongAt.get(c.booked + c.e2e);
      if (w && w.cents > 0 && c.cents > 0) return { word: w.inv === 'I1' ? 'again' : w.inv === 'I3' ? 'believed' : 'wrong', kind: 'bad', cents: w.cents };
      if (c.cents < 0) return c.booked - c.stored > 600000 ? { word: 'bookedAfter', kind: 'saved' } : { word: 'refunded', kind: 'done' };
      return { word: c.fate === 'late' || c.fate === 'overtaken' ? 'creditedLate' : 'credited', kind: 'done' };
    }
    if (c.cents < 0 && missed) return { word: 'forgotten', kind: 'bad', cents: missed.cents };
    if (/^known/.test(c.result)) return { word: 'known', kind: c.fate === 'ok' ? 'done' : 'saved' };
    if (/^variant/.test(c.result)) return { word: 'variant', kind: 'saved' };
    if (c.cents < 0 && c.booked) return { word: 'waitCredit', kind: 'soft', glyph: 'late' };
    return { word: 'inbox', kind: 'soft' };
  }
  return {
    film, before, outcome, statement: running(film.lines), ledger: running(settlement), gap: running(film.wrongs),
    settled: (t) => film.lines.slice(0, before(film.lines, t)).filter((l) => l.kind === 'pix_in').length,
    byLaw(t) {
      const out = {};
      for (const w of film.wrongs) { if (w.t > t) break; out[w.inv] = (out[w.inv] || 0) + w.cents; }
      return out;
    },
    postings: settlement,
  };
}
