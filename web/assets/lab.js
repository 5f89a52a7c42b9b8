'use strict';
// What both pages share: glyphs, wires, money, time, language, theme.
const Lab = (() => {
  const shapes = {
    ok: '<circle class="solid" cx="12" cy="12" r="5"/>',
    copy: '<path d="M4 4h10.500v10.500H4z"/><path d="M9.500 18v2H20V9.500h-2"/>',
    retry: '<path d="M19.500 12a7.500 7.500 0 1 1-2.400-5.500"/><path d="M20 3v4.500h-4.500"/>',
    resend: '<path d="M3.500 6.500h17v11h-17z"/><path d="M4 7l8 6.500L20 7"/>',
    ack_lost: '<path d="M9 5l-5.500 5.500L9 16"/><path d="M4 10.500h9a6 6 0 0 1 6 6V19"/><path d="M15 4l6 6M21 4l-6 6"/>',
    late: '<circle cx="12" cy="12" r="8.500"/><path d="M12 7v5l3.500 2"/>',
    overtaken: '<path d="M3 6.500h4.500l9 11H21M3 17.500h4.500l2.300-2.800M14 9.300l2.500-2.800H21"/><path d="M18.500 4L21 6.500 18.500 9M18.500 15l2.500 2.500-2.500 2.500"/>',
    lost: '<path stroke-width="3" d="M2.500 12h.01M7.500 12h.01"/><path stroke-width="2.600" d="M12 7l9.500 10M21.500 7L12 17"/>',
    no_answer: '<path stroke-width="3" d="M2.500 12h.01M7.500 12h.01"/><path stroke-width="3.400" d="M14 3.500v17"/><path d="M19 9v6"/>',
    forged: '<path d="M12 2.500l9.500 9.500-9.500 9.500L2.500 12z"/><path d="M12 8v5M12 16.200v.01"/>',
    replay: '<path d="M12 2.500l9.500 9.500-9.500 9.500L2.500 12z"/><path d="M15.500 12a3.500 3.500 0 1 1-1.200-2.600M15.500 7.500v2.500H13"/>',
    altered: '<path d="M12 2.500l9.500 9.500-9.500 9.500L2.500 12z"/><path d="M8.500 10.500h7M8.500 13.500h7M14 8l-4 8"/>',
    phantom: '<path d="M12 2.500l9.500 9.500-9.500 9.500L2.500 12z"/><path d="M9.500 9.500l5 5M14.500 9.500l-5 5"/>',
    false_refund: '<path d="M12 2.500l9.500 9.500-9.500 9.500L2.500 12z"/><path d="M15.500 12h-7M11 9.500L8.500 12l2.500 2.500"/>',
    crash: '<path d="M13.500 2.500L5 13.500h6l-1.500 8L19 10h-6.500z"/>',
    store: '<ellipse cx="12" cy="5.500" rx="8" ry="3"/><path d="M4 5.500v13c0 1.700 3.600 3 8 3s8-1.300 8-3v-13"/><path d="M4 12c0 1.700 3.600 3 8 3s8-1.300 8-3"/>',
    psp: '<path d="M3 9.500L12 3.500l9 6z"/><path d="M5.500 12.500v5M12 12.500v5M18.500 12.500v5M3.500 20.500h17"/>',
    heal: '<path d="M12 4v16M4 12h16"/>',
    play: '<path class="solid" d="M7 4.500v15L19.500 12z"/>', pause: '<path d="M8 5v14M16 5v14" stroke-width="3.500"/>',
    step: '<path class="solid" d="M5 5v14l10-7z"/><path d="M18.500 5v14" stroke-width="3"/>',
    back: '<path class="solid" d="M19 5v14L9 12z"/><path d="M5.500 5v14" stroke-width="3"/>',
    start: '<path d="M5 5v14" stroke-width="3"/><path class="solid" d="M13.500 5v14L7 12zM21 5v14l-6.500-7z"/>',
    clip: '<path d="M8 8h12v12.500H8z"/><path d="M16 8V3.500H4V16h4"/>',
    find: '<circle cx="10.500" cy="10.500" r="6.500"/><path d="M15.500 15.500L21 21"/>',
    theme: '<circle cx="12" cy="12" r="8.500"/><path class="solid" d="M12 3.500a8.500 8.500 0 0 1 0 17z"/>',
    save: '<path d="M12 3.500v12M7 11l5 5 5-5M4 20.500h16"/>', check: '<path d="M5 12.500l4.500 4.500L19 7.500"/>', cross: '<path d="M6 6l12 12M18 6L6 18"/>',
    inbox: '<path d="M4 13l3-8.500h10l3 8.500v6H4z"/><path d="M4 13h5l1.500 2.500h3L15 13h5"/>',
  };
  // fate → family, dash of the line, head
  const fates = {
    ok: ['clean', '', 'full'], copy: ['again', 'double', 'full'], retry: ['again', 'double-dash', 'full'], resend: ['again', 'double', 'full'],
    ack_lost: ['again', '', 'full'], late: ['time', '11 8', 'open'], overtaken: ['time', '11 6 .1 6', 'open'],
    lost: ['never', '.1 7', 'cross'], no_answer: ['never', '.1 7', 'wall'],
    forged: ['lie', 'zigzag', 'diamond'], replay: ['lie', 'zigzag', 'diamond'], altered: ['lie', 'zigzag', 'diamond'],
    phantom: ['lie', 'zigzag', 'diamond'], false_refund: ['lie', 'zigzag', 'diamond'],
  };
  const lineColour = { clean: '--clean', again: '--again', time: '--timeline', never: '--lostline', lie: '--lie' };
  const wordColour = { clean: '--clean', again: '--again', time: '--time', never: '--lost', lie: '--lie' };

  const glyph = (name, more = '') => `<svg class="glyph ${more}" viewBox="0 0 24 24" aria-hidden="true">${shapes[name] || shapes.ok}</svg>`;
  const lamps = {
    held: '<circle cx="12" cy="12" r="10" fill="currentColor"/><path d="M7 12.500l3.500 3.500L17 9" fill="none" stroke="var(--surface)" stroke-width="2.600" stroke-linecap="round" stroke-linejoin="round"/>',
    broken: '<rect x="2" y="2" width="20" height="20" rx="2" fill="currentColor"/><path d="M7.500 7.500l9 9M16.500 7.500l-9 9" fill="none" stroke="var(--surface)" stroke-width="2.600" stroke-linecap="round"/>',
    open: '<circle cx="12" cy="12" r="8.500" fill="none" stroke="currentColor" stroke-width="2.500" stroke-dasharray="4.450 4.450"/>',
  };
  const lamp = (state) => `<svg class="lamp ${state}" viewBox="0 0 24 24" aria-hidden="true">${lamps[state]}</svg>`;
  const brand = '<svg viewBox="0 0 24 24" aria-hidden="true"><path d="M3 12h5M16 12h5M8 12l4-5 4 5-4 5z" fill="none" stroke="var(--goodline)" stroke-width="2.400" stroke-linejoin="round" stroke-linecap="round"/><path d="M3 5h3.500M3 19h3.500" fill="none" stroke="var(--ink2)" stroke-width="2.400" stroke-linecap="round" stroke-dasharray=".1 3.400"/></svg>pixlab';

  // wire draws a callback's way between the spine and one receiver: 64 by 34 units.
  function wire(fate, flip, more = '') {
    const [family, dash, head] = fates[fate] || fates.ok;
    let line = '';
    if (dash === 'zigzag') line = '<path d="M2 17l6-5 6 10 6-10 6 10 6-10 6 10 3-5"/>';
    else if (dash.startsWith('double')) line = `<path d="M2 14H48M2 20H48"${dash === 'double-dash' ? ' stroke-dasharray="10 6"' : ''}/>`;
    else line = `<path d="M2 17H${head === 'cross' ? 40 : 50}"${dash ? ` stroke-dasharray="${dash}"` : ''}/>`;
    const heads = {
      full: '<path class="head end" d="M61 17L48 10.500v13z"/>', open: '<path class="hollow end" d="M61 17L49 10.500v13z"/>',
      cross: '<path class="end" d="M45 11l12 12M57 11L45 23" stroke-width="2.600"/>', wall: '<path class="end" d="M56 5v24" stroke-width="3.500"/>',
      diamond: '<path class="hollow end" d="M44 17l9-7.500 9 7.500-9 7.500z"/>',
    };
    return `<svg class="wire family-${family}${flip ? ' flip' : ''} ${more}" viewBox="0 0 64 34" aria-hidden="true">${line}${heads[head]}</svg>`;
  }

  let lang = 'en', words = {};
  const listeners = [];
  function T(key, ...values) {
    const entry = words[key];
    let text = entry ? entry[lang === 'pt' ? 1 : 0] : key;
    for (const v of values) text = text.replace('#', v);
    return text;
  }
  function setLang(next) {
    lang = next === 'pt' ? 'pt' : 'en';
    document.documentElement.lang = lang === 'pt' ? 'pt-BR' : 'en';
    remember('lang', lang);
    document.querySelectorAll('[data-lang]').forEach((b) => b.setAttribute('aria-pressed', String(b.dataset.lang === lang)));
    document.querySelectorAll('[data-word]').forEach((e) => { e.textContent = T(e.dataset.word); });
    document.querySelectorAll('[data-title]').forEach((e) => { e.title = T(e.dataset.title); e.setAttribute('aria-label', T(e.dataset.title)); });
    listeners.forEach((f) => f());
  }
  function setTheme(next) {
    document.documentElement.dataset.theme = next;
    remember('theme', next);
    listeners.forEach((f) => f());
  }
  // A page opened from disk may have no storage: then nothing is remembered.
  function remember(key, value) { try { localStorage.setItem('pixlab.' + key, value); } catch { /* no storage */ } }
  function recall(key) { try { return localStorage.getItem('pixlab.' + key); } catch { return null; } }

  const query = new URLSearchParams(location.search);
  function begin(dictionary) {
    words = dictionary;
    const dark = matchMedia('(prefers-color-scheme: dark)').matches;
    document.documentElement.dataset.theme = query.get('theme') || recall('theme') || (dark ? 'dark' : 'light');
    setLang(query.get('lang') || recall('lang') || (navigator.language.startsWith('pt') ? 'pt' : 'en'));
    document.querySelectorAll('[data-lang]').forEach((b) => b.addEventListener('click', () => setLang(b.dataset.lang)));
    document.querySelectorAll('[data-glyph]').forEach((b) => b.insertAdjacentHTML('afterbegin', glyph(b.dataset.glyph)));
    document.querySelectorAll('.brand').forEach((b) => { b.innerHTML = brand; });
  }
  const toggleTheme = () => setTheme(document.documentElement.dataset.theme === 'dark' ? 'light' : 'dark');
  const toggleLang = () => setLang(lang === 'pt' ? 'en' : 'pt');

  const nbsp = '\u00a0', minus = '\u2212';
  function digits(cents) {
    const c = Math.abs(cents);
    return String(Math.floor(c / 100)).replace(/\B(?=(\d{3})+$)/g, '.') + ',' + String(c % 100).padStart(2, '0');
  }
  const brl = (cents) => (cents < 0 ? minus + nbsp : '') + 'R$' + nbsp + digits(cents);
  const signed = (cents) => (cents > 0 ? '+' + nbsp : '') + brl(cents);
  const point = () => (lang === 'pt' ? ',' : '.');

  let startMS = 0;
  const saoPaulo = new Intl.DateTimeFormat('en-GB', { timeZone: 'America/Sao_Paulo', hour12: false, day: '2-digit', hour: '2-digit', minute: '2-digit', second: '2-digit' });
  function setStart(iso) { startMS = Date.parse(iso); }
  // clock is the time of day in São Paulo of a film's instant (microseconds).
  function clock(us, fraction = 3) {
    const part = {};
    for (const p of saoPaulo.formatToParts(new Date(startMS + Math.floor(us / 1000)))) part[p.type] = p.value;
    const ms = String(((startMS + Math.floor(us / 1000)) % 1000 + 1000) % 1000).padStart(3, '0');
    return `${part.hour === '24' ? '00' : part.hour}:${part.minute}:${part.second}` + (fraction ? point() + ms.slice(0, fraction) : '');
  }
  // span says how long a stretch is, in words.
  function span(us) {
    const s = Math.round(us / 1e6);
    return s < 90 ? `${s} s` : s < 5400 ? `${Math.round(s / 60)} min` : `${Math.round(s / 3600)} h`;
  }
  const escape = (s) => String(s).replace(/[&<>"']/g, (c) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' })[c]);
  const tail = (e2e) => escape(e2e.slice(-4));
  // letter names an instance: 1 is A.
  const letter = (n) => (n > 0 && n <= 26 ? String.fromCharCode(64 + n) : String(n));

  let toastTimer = 0;
  function toast(text) {
    const e = document.getElementById('toast');
    e.textContent = text;
    e.classList.add('shown');
    clearTimeout(toastTimer);
    toastTimer = setTimeout(() => e.classList.remove('shown'), 2200);
  }
  function help(keys, withFates = true) {
    const d = document.getElementById('help');
    d.innerHTML = `<h2>${T('keys')}</h2><div class="two"><table>${keys.map(([k, w]) => `<tr><td>${T(k)}</td><td>${T(w)}</td></tr>`).join('')}</table>` +
      (withFates ? `<ul class="key">${Object.keys(fates).map((f) => `<li>${wire(f)}${glyph(f, 'family-' + fates[f][0])}<span>${T('fate.' + f)}</span></li>`).join('')}</ul>` : '') + '</div>';
    d.showModal();
  }
  const reduced = matchMedia('(prefers-reduced-motion: reduce)').matches;
  const rem = () => parseFloat(getComputedStyle(document.documentElement).fontSize);

  return {
    T, begin, setLang, toggleLang, toggleTheme, onChange: (f) => listeners.push(f), query,
    glyph, lamp, wire, fates, lineColour, wordColour, brl, signed, digits, clock, span, setStart, escape, tail, letter, toast, help, reduced, rem,
    get lang() { return lang; },
  };
})();
