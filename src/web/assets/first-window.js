// Without the page that opened it, nothing leads this window on.
if (!window.opener) {
  document.querySelector('h1').textContent = firstWindowWords.lost;
  document.querySelector('[role="status"]').textContent = firstWindowWords.lostText;
  window.close();
}
