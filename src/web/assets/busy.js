// A button that was pressed says at once that something is happening, and a second press sends nothing twice.
addEventListener('submit', (event) => {
  const { target, submitter } = event;
  if (event.defaultPrevented) return;
  if (target.dataset.busy) return event.preventDefault();
  target.dataset.busy = 'true';
  submitter?.setAttribute('aria-busy', 'true');
  setTimeout(showStayed, target.querySelector('.after') ? 5_000 : 8_000);
});

// The answer may open an app beside this page, and no event says so. Then the form must not ask again what was answered: the way to the
// game replaces it. Its button sends the same form once more, which gets the same answer.
function showStayed() {
  for (const form of document.querySelectorAll('[data-busy]:has(> .after)')) {
    form.dataset.sent = 'true';
    const way = form.querySelector('.after > .primary');
    const { name, value } = form.querySelector('[aria-busy]') ?? {};
    if (name) Object.assign(way, { name, value });
    way.focus();
  }
  calm();
}

function calm() {
  for (const form of document.querySelectorAll('[data-busy]')) delete form.dataset.busy;
  for (const button of document.querySelectorAll('[aria-busy]')) button.removeAttribute('aria-busy');
}
// Back from the next page, the browser shows this one as it was left.
addEventListener('pageshow', calm);
// Back from an app.
addEventListener('visibilitychange', () => document.hidden || showStayed());
