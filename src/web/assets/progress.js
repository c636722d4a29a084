// Follows payments on their way, on a page that stays open: by server-sent events or, where these are missing or do not come
// through, by asking now and then. Without it the page is right for the moment it was sent.
const followed = document.querySelector('[data-progress]');
const { progress: address } = followed.dataset;
const show = followed.matches('.progress') ? confirmation : account;

// Before and after a node has it, the words are the same.
const wordsOf = (requests) => requests.map(({ status }) => (status === 'approved' ? 'submitted' : status)).join();
let shown;
let source = null;
let timer;
// Counts, so that an answer that was asked for before a stop starts nothing.
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
  // A proxy may keep what it should hand on at once.
  timer = setTimeout(askInstead, 5_000);
  source.onmessage = ({ data }) => {
    clearTimeout(timer);
    take(JSON.parse(data));
  };
  // It tries again by itself, unless it was refused.
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
    // Signed out, or open for too long.
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

const WORDS = {
  submitted: 'On its way',
  completed: 'Confirmed',
  failed: 'What did not reach the game is yours again.',
};

// A result page has one payment, and says it in one place.
function confirmation([{ status }]) {
  followed.dataset.status = status in WORDS ? status : 'submitted';
  followed.textContent = WORDS[followed.dataset.status];
  if (status !== 'failed') return;
  document.querySelector('.sign').className = 'sign failed';
  document.querySelector('h1').textContent = 'This payment did not go through';
  document.querySelector('h1 + p').textContent = 'You approved it, but it was stopped on the way.';
}

// A page of the account shows amounts and sums besides: they come from the page as it is now, into the places they have.
let looks = 0;
async function account() {
  const look = ++looks;
  try {
    const answer = await fetch(location.href);
    const now = new DOMParser().parseFromString(await answer.text(), 'text/html');
    // Signed out, or a later look has been begun.
    if (!answer.ok || answer.redirected || look < looks) return;
    for (const part of document.querySelectorAll('[data-live]')) {
      const newer = now.getElementById(part.id);
      // A sum of nothing is not shown; a row may have made room for others.
      if (!newer && !part.dataset.live) return location.reload();
      if (!newer) part.textContent = part.dataset.live;
      else if (newer.textContent !== part.textContent) part.replaceChildren(...newer.childNodes);
      if (newer) part.className = newer.className;
    }
  } catch {
    setTimeout(() => look === looks && account(), 3_000);
  }
}

// A frame is closed at the result, also by browsers that do not tell us it is one.
if (window.parent === window) {
  // Hidden pages give their connection back: a browser has few for one site.
  document.addEventListener('visibilitychange', () => (document.hidden ? letGo() : follow()));
  follow();
  if (show === confirmation) {
    setTimeout(() => {
      WORDS.submitted = 'The network is slow at the moment. Nothing is lost; you can close this page.';
      if (followed.dataset.status === 'submitted') followed.textContent = WORDS.submitted;
    }, 20_000);
  }
}
