// Sends a kept form on, the first time its page is shown. After going back, the button is there.
{
  const form = document.querySelector('form[data-continue]');
  const shown = `continued ${form.dataset.continue}`;
  if (!sessionStorage.getItem(shown)) {
    sessionStorage.setItem(shown, 'true');
    // BUSY_SCRIPT, which comes after this one, marks the button.
    addEventListener('DOMContentLoaded', () => form.requestSubmit(form.querySelector('button')));
  }
}
