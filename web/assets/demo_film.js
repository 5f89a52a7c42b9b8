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
  // peak is the highest sum up to an instant.
  const peaks = new Map();
  function peak(list) {
    if (!peaks.has(list)) {
      const tops = [0];
      let sum = 0;
      for (const x of list) { sum += x.cents; tops.push(Math.max(tops[tops.length - 1], sum)); }
      peaks.set(list, (t) => tops[before(list, t)]);
    }
    return peaks.get(list);
  }
  const credits = film.lines.filter((l) => l.kind === 'pix_in');
  // What is wrong under each invariant, summed up in order.
  const laws = {};
  for (const w of film.wrongs) (laws[w.inv] = laws[w.inv] || []).push(w);
  const lawSums = Object.entries(laws).map(([id, list]) => [id, list[0].t, running(list)]);
  const patience = 600000; // microseconds: what takes longer was waited for
  const payout = (c) => c.id.includes('/payout/');
  const creditLine = (e2e) => lineOf.get(e2e);
  // A further credit that no credit's callback brought is that of the callback
  // stored last before it: a refund taken for money in.
  const mistaken = new Map(), bookings = new Set(film.callbacks.filter((c) => c.booked).map((c) => c.booked + c.e2e));
  for (const w of film.wrongs) {
    if (w.inv !== 'I1' || w.cents <= 0 || bookings.has(w.t + w.e2e)) continue;
    const last = film.callbacks.filter((c) => c.e2e === w.e2e && c.cents < 0 && c.stored && c.stored <= w.t && !mistaken.has(c.id)).pop();
    if (last) mistaken.set(last.id, w);
  }
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
    if (payout(c)) {
      if (missed) return { word: 'paidTwice', kind: 'bad', cents: missed.cents };
      const line = creditLine(c.e2e);
      return line && line.settled && line.settled <= t ? { word: 'paidOut', kind: 'done' } : { word: 'inbox', kind: 'soft' };
    }
    const taken = mistaken.get(c.id);
    if (taken && taken.t <= t) return { word: 'asCredit', kind: 'bad', cents: taken.cents };
    if (c.booked && c.booked <= t) {
      const w = wrongAt.get(c.booked + c.e2e);
      if (w && w.cents > 0 && c.cents > 0) return { word: w.inv === 'I1' ? 'again' : w.inv === 'I3' ? 'believed' : 'wrong', kind: 'bad', cents: w.cents };
      if (c.cents < 0) return c.booked - c.stored > patience ? { word: 'bookedAfter', kind: 'saved' } : { word: 'refunded', kind: 'done' };
      return { word: c.fate === 'late' || c.fate === 'overtaken' ? 'creditedLate' : 'credited', kind: 'done' };
    }
    if (c.cents < 0 && missed) return { word: 'forgotten', kind: 'bad', cents: missed.cents };
    if (/^known/.test(c.result)) return { word: 'known', kind: c.fate === 'ok' ? 'done' : 'saved' };
    if (/^variant/.test(c.result)) return { word: 'variant', kind: 'saved' };
    if (c.cents < 0 && c.booked) return { word: 'waitCredit', kind: 'soft', glyph: 'late' };
    return { word: 'inbox', kind: 'soft' };
  }
  // did says, in the word of a sentence, what this side made of a Pix that the
  // other one got wrong under an invariant: what happened, and no more.
  function did(w) {
    const line = lineOf.get(w.key), booked = settlement.filter((p) => p.e2e === w.e2e && (p.key === w.key || !line));
    const told = film.callbacks.filter((c) => c.e2e === w.e2e && !payout(c)), met = line && line.settled;
    if (wrongsOf.has(w.e2e)) return 'wrongToo';
    if (!line && /\//.test(w.key)) return 'askedFirst';
    if (!line) return told.some((c) => c.status === 401) ? 'refused' : settlement.some((p) => p.e2e === w.e2e) ? 'untilNight' : 'bookedNone';
    if (!met) return 'bookedNone';
    if (line.kind === 'pix_out') return 'bookedOnce';
    if (w.inv === 'I1' && booked.length === 1) return 'knew';
    if (told.length && told.every((c) => c.fate === 'lost' || !c.stored)) return 'asked';
    const credit = lineOf.get(w.e2e), late = told.find((c) => c.cents > 0);
    if (credit && late && told.some((c) => c.cents < 0 && c.stored && c.stored <= credit.settled) && credit.settled < late.arrive) return 'fromIt';
    if (told.some((c) => c.cents < 0 && c.stored && c.booked - c.stored > patience)) return 'waited';
    return 'bookedOnce';
  }
  return {
    film, before, outcome, did, payout, statement: running(film.lines), ledger: running(settlement), gap: running(film.wrongs),
    settled: (t) => before(credits, t),
    byLaw: (t) => Object.fromEntries(lawSums.filter(([, first]) => first <= t).map(([id, , sum]) => [id, sum(t)])),
    roof: (t) => Math.max(peak(film.lines)(t), peak(settlement)(t)),
    postings: settlement,
  };
}
