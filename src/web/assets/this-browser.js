// Fills in what only the browser knows.
const fieldOf = (name) => document.querySelector(`input[name="${name}"]`) ?? {};
// A game that opened this page as a popup waits for a message, and a webview for a call, which it may set late. A game that only sent the
// player here waits at its address.
addEventListener('submit', () => {
  if (window.opener || typeof window.onServiceCallback === 'function') fieldOf('opened_by').value = 'game';
});
// With scripts, the next page can show for a moment that it is paid, and go on to the game by itself.
fieldOf('shows_paid').value = 'true';
