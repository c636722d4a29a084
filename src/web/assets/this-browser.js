// Fills in what only the browser knows.
const fieldOf = (name) => document.querySelector(`input[name="${name}"]`) ?? {};
// A game that opened this page as a popup waits for a message. A game that sent the player here waits at its address.
if (window.opener) fieldOf('opened_by').value = 'game';
// With scripts, the next page can show for a moment that it is paid, and go on to the game by itself.
fieldOf('shows_paid').value = 'true';
