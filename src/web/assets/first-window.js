// quarters.js names its call, and leads this window on once it hears of it. Without the page that opened it, nothing does.
const frameId = location.hash.slice(1);
if (window.opener) {
  if (frameId) window.opener.postMessage(JSON.stringify({ frameId, page: 'first' }), '*');
} else {
  document.querySelector('h1').textContent = firstWindowWords.lost;
  document.querySelector('[role="status"]').textContent = firstWindowWords.lostText;
  window.close();
}
