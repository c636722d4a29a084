// A button that was pressed says at once that something is happening, and a second press sends nothing twice.
addEventListener('submit', (event) => {
  const { target, submitter } = event;
  if (event.defaultPrevented) return;
  if (target.dataset.busy) return event.preventDefault();
  target.dataset.busy = 'true';
  submitter?.setAttribute('aria-busy', 'true');
  // The answer may lead to an app, which leaves this page where it is. Then the button can be pressed again, and gets the same answer.
  setTimeout(calm, 8_000);
});

function calm() {
  for (const form of document.querySelectorAll('[data-busy]')) delete form.dataset.busy;
  for (const button of document.querySelectorAll('[aria-busy]')) button.removeAttribute('aria-busy');
}
// Back from the next page, the browser shows this one as it was left.
addEventListener('pageshow', calm);
addEventListener('visibilitychange', () => document.hidden || calm());
