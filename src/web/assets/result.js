// A result page hands its result to the game, once per page view. src/web/delivery.ts says what stands in its attributes.
const main = document.querySelector('main');
const { origins, frameId, redirect } = main.dataset;

// Either to the callback on this window, where a webview has put one, or on the parent's, where that is of our origin; or as a
// message to the game that frames us or opened us, readable by the app's own origins alone; or by the address the player came
// with; or to a callback that a webview puts here a moment after loading.
function deliver(result) {
  if (callBack(result)) return;
  const posted = post(result);
  // A game that listens closes this window. Another one waits for the player at its address.
  if (redirect) setTimeout(() => location.replace(redirect), posted ? 1500 : 0);
  else if (!posted) waitForCallback(result, 40);
}

function waitForCallback(result, tries) {
  if (tries > 0) setTimeout(() => callBack(result) || waitForCallback(result, tries - 1), 250);
}

function callBack(result) {
  for (const target of [window, window.parent]) {
    let callback;
    try {
      callback = target.onServiceCallback;
    } catch {} // A foreign parent's.
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
    } catch {} // Not every browser can name every app's scheme.
  }
  return true;
}

if (main.dataset.result) {
  const result = JSON.parse(main.dataset.result);
  if ('forOurFrame' in main.dataset) {
    // Only a page of ours can hear it. The frame that opened us hands it on, and closes us.
    const [title, text] = ['h1', 'h1 + p'].map((part) => main.querySelector(part)?.textContent ?? '');
    window.opener?.postMessage({ app: main.dataset.app, result, title, text, redirect }, location.origin);
  } else {
    deliver(result);
  }
}
