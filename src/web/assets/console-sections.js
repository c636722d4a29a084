// On a phone the sections are a row that scrolls. It begins at the section that is open.
document.querySelector('.sections [aria-current]')?.scrollIntoView({ inline: 'center', block: 'nearest' });

// A table that fits its place does not scroll, so it is no stop for the keyboard.
{
  const sizes = new ResizeObserver((changes) => {
    for (const place of new Set(changes.map(({ target }) => target.closest('.scroll')))) {
      if (place.scrollWidth > place.clientWidth) place.tabIndex = 0;
      else place.removeAttribute('tabindex');
    }
  });
  for (const place of document.querySelectorAll('.scroll')) {
    sizes.observe(place);
    sizes.observe(place.firstElementChild);
  }
}
