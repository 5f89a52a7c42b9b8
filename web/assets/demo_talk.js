'use strict';
// The talk: a line to say above the stage, and the presenter's clock, which
// begins with the first key and outlives a reload.
const Talk = (() => {
  const $ = (id) => document.getElementById(id);
  let scene = null, hash = '', began = 0, timer = 0;
  const text = (words) => words[Lab.lang];
  try { began = Number(sessionStorage.getItem('pixlab.talk')) || 0; } catch { /* no storage */ }
  function tick() {
    const s = began ? Math.floor((Date.now() - began) / 1000) : 0;
    $('scene-clock').textContent = String(Math.floor(s / 60)).padStart(2, '0') + ':' + String(s % 60).padStart(2, '0');
  }
  function start() {
    if (!scene || began) return;
    began = Date.now();
    try { sessionStorage.setItem('pixlab.talk', String(began)); } catch { /* no storage */ }
  }
  function show(state) {
    scene = state.scene || null;
    hash = state.left.hash;
    $('talk').hidden = !scene;
    document.body.classList.toggle('talking', !!scene);
    if (!scene) return;
    $('scene-number').textContent = `${scene.number}/${scene.of}`;
    $('scene-title').textContent = text(scene.title);
    $('scene-line').textContent = text(scene.line);
    tick();
    if (!timer) timer = setInterval(tick, 500);
  }
  // says is what a scene that is run again has to say at its end.
  function says(t) {
    if (!scene || !scene.first || t < scene.to) return '';
    const short = (h) => h.slice(0, 19) + '…' + h.slice(-6);
    return Lab.T(scene.first === hash ? 'say.sameHash' : 'say.otherHash', short(scene.first), short(hash));
  }
  return { show, start, says };
})();
