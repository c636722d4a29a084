// A game that opened this page as a popup waits for a message. A game that sent the player here waits at its address. Only the
// browser knows which is true.
if (window.opener) document.querySelector('input[name="opened_by"]').value = 'game';
