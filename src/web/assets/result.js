// A result page delivers its result to the game, once per page view. src/web/result-delivery.ts describes its attributes.
const main = document.querySelector('main');
const { origins, frameId, redirect } = main.dataset;
const forOurFrame = 'forOurFrame' in main.dataset;

// The callback that a webview has set on this window, or on the parent if it has our origin, or sets a moment after loading. Without one, a
// message to the game that frames or opened us, readable only by the app's own origins. Then the redirect address.
function deliver(result) {
  const told = callBack(result) || post(result);
  if (!told) waitForCallback(result, redirect ? 3 : 40);
  // A game that was told closes this window. Any other waits for the player at its address: a late callback still comes, and a paid
  // result is seen for a moment.
  if (redirect) setTimeout(() => location.replace(redirect), told ? 1500 : 900);
}

function waitForCallback(result, tries) {
  if (tries > 0) setTimeout(() => callBack(result) || waitForCallback(result, tries - 1), 250);
}

function callBack(result) {
  for (const target of [window, window.parent]) {
    let callback;
    try {
      callback = target.onServiceCallback;
    } catch {} // The parent has another origin.
    if (typeof callback === 'function') {
      callback.call(target, result);
      return true;
    }
  }
  return false;
}

function post(result) {
  const game = window.parent === window ? window.opener : window.parent;
  const targets = origins?.split(' ').filter(Boolean) ?? [];
  if (!game || targets.length === 0) return false;
  const { error } = result;
  const message = JSON.stringify({ ...result, ...(error && { message: error }), ...(frameId && { frameId }) });
  for (const origin of targets) {
    try {
      game.postMessage(message, origin);
    } catch {} // Some browsers refuse some apps' schemes.
  }
  return true;
}

if (main.dataset.result) {
  const result = JSON.parse(main.dataset.result);
  if (forOurFrame) {
    // Only our own page can read it. The frame that opened us passes it on and closes us.
    const [title, text] = ['h1', 'h1 + p'].map((part) => main.querySelector(part)?.textContent ?? '');
    window.opener?.postMessage({ app: main.dataset.app, result, title, text, redirect }, location.origin);
  } else {
    deliver(result);
  }
} else if (redirect) {
  setTimeout(() => location.replace(redirect), 900);
}

// A window that a game or our frame opened. A frame that cannot see this one learns from our server what was decided.
if (window.parent === window && (forOurFrame || (!redirect && (window.opener || frameId)))) {
  const closes = main.querySelector('[data-closes]');
  if (closes) {
    closes.firstElementChild.onclick = () => window.close();
    closes.hidden = false;
    main.querySelector('[data-stays]').hidden = true;
  }
  if (forOurFrame && !window.opener) setTimeout(() => window.close(), 1500);
}
