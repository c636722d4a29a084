// On a phone the sections are a row that scrolls. It begins at the section that is open.
document.querySelector('.sections [aria-current]')?.scrollIntoView({ inline: 'center', block: 'nearest' });

// A table that is wider than its place scrolls. `data-more` says at which of its ends more follows, so that a figure is never cut unnoticed. A
// table that fits is no stop for the keyboard.
{
  const show = (place) => {
    const more = place.scrollWidth - place.clientWidth;
    const left = Math.abs(place.scrollLeft);
    const ends = [left > 0 && 'start', left < more - 1 && 'end'].filter(Boolean).join(' ');
    if (ends) place.dataset.more = ends;
    else delete place.dataset.more;
    if (more > 0) place.tabIndex = 0;
    else place.removeAttribute('tabindex');
  };
  const sizes = new ResizeObserver((changes) => {
    for (const place of new Set(changes.map(({ target }) => target.closest('.scroll')))) show(place);
  });
  for (const place of document.querySelectorAll('.scroll')) {
    sizes.observe(place);
    sizes.observe(place.firstElementChild);
    place.addEventListener('scroll', () => show(place), { passive: true });
  }
}
