// Nobody decides in a frame. The button opens our own window at top level, which tells this page what was decided.
const link = main.querySelector('a[target="_blank"]');
const state = main.querySelector('[role="status"]');
const { follow, first } = main.dataset;
let own = null;
let timer;
let turn = 0;

link.addEventListener('click', (event) => {
  event.preventDefault();
  if (own && !own.closed) return own.focus();
  // A window that must tell us something, and is cut off from us, closes itself on its first page.
  own = window.open(follow ? link.href : first, '_blank', 'popup,width=480,height=760');
  if (!follow) own?.location.replace(link.href);
  // In a page with `Cross-Origin-Opener-Policy: same-origin` a window opens, but we get null, as if the browser had blocked it. Only a
  // window that opens uses up the player's click.
  const { isActive } = navigator.userActivation ?? {};
  const isAway = follow && !own && !isActive;
  main.querySelector('[data-refused]').hidden = own !== null || (isAway && isActive === false);
  if (isAway) dispatchEvent(new Event('away'));
  if (own || isAway) state.textContent = ownWindowWords.opened;
  watch();
});

function watch() {
  clearTimeout(timer);
  void look(++turn, 1_000);
}

// A window that we cannot see may have paid, and so may one that was closed. Then only our server knows.
async function look(asked, pause) {
  const isOpen = own && !own.closed;
  if (own?.closed && state.textContent !== ownWindowWords.closed) state.textContent = ownWindowWords.closed;
  if (follow && !isOpen && (await isDecided()) && asked === turn) {
    const next = new URL(location.href);
    next.searchParams.set('token', new URL(follow, next).searchParams.get('token'));
    location.replace(next);
  } else if (asked === turn && (follow || isOpen)) {
    timer = setTimeout(look, isOpen ? 300 : pause, asked, isOpen ? pause : Math.min(pause * 1.3, 30_000));
  }
}

async function isDecided() {
  try {
    const answer = await fetch(follow, { headers: { accept: 'application/json' } });
    return answer.ok && (await answer.json()).requests.some(({ status }) => status !== 'pending');
  } catch {
    return false; // No network for now.
  }
}

// quarters.js opens this page again to follow a window that it cannot see.
if (new URLSearchParams(location.search).has('away')) watch();
document.addEventListener('visibilitychange', () => turn > 0 && !document.hidden && watch());
// Nobody pays in a window whose result nobody would get.
addEventListener('pagehide', () => own?.close());

// The game can post to us too, and so can every window that has a reference to ours. Only the window we opened counts.
addEventListener('message', ({ origin, source, data }) => {
  // The game can lead that window to our result page of another app, so the result must be for this app.
  if (origin !== location.origin || !own || source !== own || data?.app !== main.dataset.app) return;
  clearTimeout(timer);
  turn = -1;
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
