// A button that was pressed says at once that something is happening, and a second press sends nothing twice. Without a network nothing is
// sent: the page says so, and its button works again.
addEventListener('submit', (event) => {
  const { target, submitter } = event;
  if (event.defaultPrevented) return;
  const isReached = target.dataset.busy === 'reached';
  if (target.dataset.busy && !isReached) return event.preventDefault();
  document.querySelector('.offline')?.remove();
  if (!navigator.onLine) {
    event.preventDefault();
    return sayOffline(target);
  }
  submitter?.setAttribute('aria-busy', 'true');
  // A browser can think that it is online and reach nobody. So a form that pays is sent once we have answered.
  if ('reach' in target.dataset && !isReached && target.requestSubmit) {
    target.dataset.busy = 'asking';
    event.preventDefault();
    return void sendIfReached(target, submitter);
  }
  target.dataset.busy = 'sent';
  setTimeout(showStayed, target.querySelector('.after') ? 5_000 : 8_000);
});

const thisScript = document.currentScript.src;

async function sendIfReached(form, submitter) {
  try {
    // Any answer will do.
    await fetch(thisScript, { method: 'HEAD', cache: 'no-store', signal: AbortSignal.timeout?.(10_000) });
  } catch {
    return sayOffline(form);
  }
  form.dataset.busy = 'reached';
  form.requestSubmit(submitter);
}

function sayOffline(form) {
  calm();
  const notice = document.createElement('p');
  notice.className = 'notice bad offline';
  notice.setAttribute('role', 'alert');
  notice.textContent = busyWords.offline;
  form.before(notice);
  notice.scrollIntoView({ block: 'nearest' });
}

// The answer may open an app beside this page, and no event says so. Then the form must not ask again what was answered: the way to the
// game replaces it. Its button sends the same form once more, which gets the same answer.
function showStayed() {
  for (const form of document.querySelectorAll('[data-busy="sent"]:has(> .after)')) {
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
