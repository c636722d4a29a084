// The form #passkey asks the browser for a passkey: to sign in, to prove a change, or to make a new one. It stays hidden in a
// browser without passkeys.
const form = document.getElementById('passkey');
const complaint = form.querySelector('.error');
const [place, described] = [complaint.nextSibling, new Map()];
// The form that the passkey completes: whose change it proves, or which makes an account with it. Its fields are sent too.
const proved = form.dataset.proves && document.getElementById(form.dataset.proves);
const making = form.dataset.passkey === 'make';
const read = making ? 'parseCreationOptionsFromJSON' : 'parseRequestOptionsFromJSON';

if (typeof window.PublicKeyCredential?.[read] === 'function') {
  form.hidden = false;
  for (const element of document.querySelectorAll('[data-without-passkeys]')) element.hidden = true;
}

form.addEventListener('submit', async (event) => {
  event.preventDefault();
  if (proved && !proved.elements[form.dataset.answer ? 'password' : 'display_name'].reportValidity()) return;
  const button = form.querySelector('button');
  button.disabled = true;
  say('');
  try {
    const fields = Object.fromEntries(new FormData(proved || form));
    const publicKey = PublicKeyCredential[read](await post(form.dataset.options, fields));
    const credential = await navigator.credentials[making ? 'create' : 'get']({ publicKey });
    if (!form.dataset.answer) return sendWith(credential);
    const { go } = await post(form.dataset.answer, { ...fields, answer: credential.toJSON() });
    location.assign(go);
    // Also where a game's app opens beside this page, or the browser wants a tap for it.
    if (!form.querySelector('.after')) return;
    form.dataset.busy = 'sent';
    setTimeout(showStayed, 5_000);
  } catch (error) {
    button.disabled = false;
    say(wordsFor(error), error.field);
  }
});

// The form itself carries the passkey, so that its answer leads on as always. It needs no password then.
function sendWith(credential) {
  proved.elements.passkey.value = JSON.stringify(credential);
  proved.noValidate = true;
  proved.requestSubmit();
  if (proved.dataset.busy) return;
  // Not sent, for want of a network (busy.js). A password that is typed now counts.
  proved.elements.passkey.value = '';
  proved.noValidate = false;
  form.querySelector('button').disabled = false;
}

async function post(path, body) {
  const headers = { 'content-type': 'application/json', accept: 'application/json' };
  const response = await fetch(path, { method: 'POST', headers, body: JSON.stringify(body) });
  // The user was signed out, or signed in too long ago.
  if (response.redirected) {
    location.assign(response.url);
    return new Promise(() => {});
  }
  const answer = await response.json();
  if (!response.ok) throw Object.assign(new Refusal(answer.message), { field: answer.field });
  return answer;
}

class Refusal extends Error {}

function wordsFor(error) {
  if (error instanceof Refusal) return error.message;
  if (error.name === 'InvalidStateError') return passkeyWords.exists;
  // Cancelled or timed out. Browsers do not say which.
  if (error.name === 'NotAllowedError') return passkeyWords.notUsed;
  return passkeyWords.failed;
}

// Beside the field that it is about, or where the form ends.
function say(text, field) {
  for (const [input, ids] of described) {
    input.removeAttribute('aria-invalid');
    if (ids) input.setAttribute('aria-describedby', ids);
    else input.removeAttribute('aria-describedby');
  }
  described.clear();
  const inputs = field
    ? [...(proved || form).querySelectorAll(`[name="${CSS.escape(field)}"]:not([type=hidden])`)]
    : [];
  if (inputs.length > 0) inputs[0].closest('.field, fieldset').append(complaint);
  else form.insertBefore(complaint, place);
  complaint.id = 'passkey-error';
  complaint.textContent = text;
  complaint.hidden = text === '';
  for (const input of inputs) {
    const ids = input.getAttribute('aria-describedby');
    described.set(input, ids);
    input.setAttribute('aria-describedby', ids ? `passkey-error ${ids}` : 'passkey-error');
    input.setAttribute('aria-invalid', 'true');
  }
  inputs[0]?.focus();
}
