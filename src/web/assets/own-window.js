// Nobody decides in a frame. The button opens our own window at top level, which tells this page what was decided.
const link = main.querySelector('a[target="_blank"]');
const state = main.querySelector('[role="status"]');
let own = null;
let watch;

link.addEventListener('click', (event) => {
  event.preventDefault();
  if (own && !own.closed) return own.focus();
  own = window.open(link.href, '_blank', 'popup,width=480,height=760');
  main.querySelector('[data-refused]').hidden = own !== null;
  if (!own) return;
  state.textContent = ownWindowWords.opened;
  clearInterval(watch);
  watch = setInterval(() => {
    if (!own.closed) return;
    clearInterval(watch);
    state.textContent = ownWindowWords.closed;
  }, 300);
});

// The game can post to us too, and so can every window that has a reference to ours. Only the window we opened counts.
addEventListener('message', ({ origin, source, data }) => {
  // The game can lead that window to our result page of another app, so the result must be for this app.
  if (origin !== location.origin || !own || source !== own || data?.app !== main.dataset.app) return;
  clearInterval(watch);
  own.close();
  own = null;
  main.querySelector('h1').textContent = data.title;
  state.textContent = data.text;
  for (const part of main.querySelectorAll('[data-open]')) part.remove();
  // An app's own scheme may open only by a tap.
  const back = main.querySelector('[data-back]');
  if (data.redirect) back.firstElementChild.href = data.redirect;
  back.hidden = !data.redirect;
  // A paid one is seen for a moment.
  if (data.redirect) setTimeout(() => location.replace(data.redirect), data.result.txId ? 900 : 0);
  else deliver(data.result);
});
