// Shows the buttons that copy the value beside them, and says when it is done.
{
  const SHOWN_MS = 1500;

  const status = document.createElement('p');
  status.className = 'visually-hidden';
  status.setAttribute('role', 'status');
  document.body.append(status);

  // Browsers have the clipboard on https and on this machine only. Elsewhere the older way copies what is selected.
  async function copy(value) {
    if (navigator.clipboard) return navigator.clipboard.writeText(value.textContent);
    getSelection().selectAllChildren(value);
    if (!document.execCommand('copy')) throw new Error('not-copied');
  }

  for (const button of document.querySelectorAll('.copy-button')) {
    const value = button.closest('.copyable').querySelector('code');
    let timer;
    button.hidden = false;
    button.addEventListener('click', async () => {
      const said = await copy(value).then(
        () => copyWords.copied,
        () => copyWords.byHand,
      );
      clearTimeout(timer);
      button.dataset.said = said;
      status.textContent = said;
      timer = setTimeout(() => {
        delete button.dataset.said;
        status.textContent = '';
      }, SHOWN_MS);
    });
  }
}
