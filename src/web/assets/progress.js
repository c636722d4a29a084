// Follows payments in progress on a page that stays open. It uses server-sent events and, if they are missing or do not come
// through, polls. Without the script the page is right for the moment it was sent.
const followed = document.querySelector('[data-progress]');
const { progress: address } = followed.dataset;
const show = followed.matches('.progress') ? confirmation : account;

// `approved` and `submitted` are shown with the same words.
const wordsOf = (requests) => requests.map(({ status }) => (status === 'approved' ? 'submitted' : status)).join();
let shown;
let source = null;
let timer;
// Counts stops, so that a late answer to an older request starts nothing.
let turn = 0;
let asks = !window.EventSource;
let over = false;

function follow() {
  if (over || document.hidden) return;
  if (asks) void ask(turn, 2_000);
  else listen();
}

function listen() {
  source = new EventSource(address);
  // A proxy may buffer what it should pass on at once.
  timer = setTimeout(askInstead, 5_000);
  source.onmessage = ({ data }) => {
    clearTimeout(timer);
    take(JSON.parse(data));
  };
  // The browser reconnects by itself, unless it was refused.
  source.onerror = () => source.readyState === EventSource.CLOSED && askInstead();
  source.addEventListener('rest', askInstead);
}

function letGo() {
  turn++;
  clearTimeout(timer);
  source?.close();
}

function askInstead() {
  asks = true;
  letGo();
  follow();
}

async function ask(asked, pause) {
  try {
    const answer = await fetch(address, { headers: { accept: 'application/json' } });
    // The user signed out, or the page was open for too long.
    if (answer.status === 404) over = true;
    else if (answer.ok) take(await answer.json());
  } catch {} // No network for now.
  if (!over && asked === turn) timer = setTimeout(ask, pause, asked, Math.min(pause * 1.3, 30_000));
}

function take({ requests, final }) {
  shown ??= requests.map(() => 'submitted').join();
  if (shown !== wordsOf(requests)) void show(requests);
  shown = wordsOf(requests);
  if (!final) return;
  over = true;
  letGo();
}

const { submitted, completed, failed } = progressWords;
const WORDS = { submitted, completed, failed };

// A result page has one payment and shows its state in one place.
function confirmation([{ status }]) {
  followed.dataset.status = status in WORDS ? status : 'submitted';
  followed.textContent = WORDS[followed.dataset.status];
  if (status !== 'failed') return;
  const sign = document.querySelector('.sign');
  sign.className = 'sign failed';
  sign.replaceChildren(document.querySelector('[data-failed]').content);
  document.querySelector('h1').textContent = progressWords.failedTitle;
  document.querySelector('h1 + p').textContent = progressWords.failedSentence;
}

// An account page also shows amounts and sums. They are copied from a newer copy of the page into their places.
let looks = 0;
async function account() {
  const look = ++looks;
  try {
    const answer = await fetch(location.href);
    const now = new DOMParser().parseFromString(await answer.text(), 'text/html');
    // The user signed out, or a later update has started.
    if (!answer.ok || answer.redirected || look < looks) return;
    for (const part of document.querySelectorAll('[data-live]')) {
      const newer = now.getElementById(part.id);
      // A sum of zero is not shown, and an old row may have left the list.
      if (!newer && !part.dataset.live) return location.reload();
      if (!newer) part.textContent = part.dataset.live;
      else if (newer.textContent !== part.textContent) part.replaceChildren(...newer.childNodes);
      if (newer) part.className = newer.className;
    }
  } catch {
    setTimeout(() => look === looks && account(), 3_000);
  }
}

// The game closes a frame at the result, so a frame follows nothing. This also covers browsers that do not tell us it is one.
if (window.parent === window) {
  // A hidden page gives up its connection, because a browser has few for one site.
  document.addEventListener('visibilitychange', () => (document.hidden ? letGo() : follow()));
  follow();
  if (show === confirmation) {
    setTimeout(() => {
      WORDS.submitted = progressWords.slow;
      if (followed.dataset.status === 'submitted') followed.textContent = WORDS.submitted;
    }, 20_000);
  }
}
