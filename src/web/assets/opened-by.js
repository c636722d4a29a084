// A game that opened this page as a popup waits for a message, one that sent the player here waits at its address. Only the
// browser knows which it was.
if (window.opener) document.querySelector('input[name="opened_by"]').value = 'game';
