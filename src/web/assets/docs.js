// The documentation: the chosen language of examples, the search, and addresses of before. Pages work without it.

const docsWords = {
  none: 'No results',
  one: '1 result',
  many: '{count} results',
  failed: 'The search does not answer. Press Enter to try again.',
};

// The reference was one page. Its anchors lead to where their subjects are now.
{
  const entry = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (entry?.matches('[data-moved] li')) location.replace(entry.querySelector('a').href);
}

// A choice is for all examples, and for the next visit.
{
  const KEY = 'docs-language';
  const choose = (language) => {
    for (const input of document.querySelectorAll('.tabs input')) if (input.value === language) input.checked = true;
  };
  try {
    choose(localStorage.getItem(KEY));
  } catch {
    // The browser keeps nothing. Then each page begins with the first language.
  }
  addEventListener('change', ({ target }) => {
    if (!target.matches('.tabs input')) return;
    const top = target.getBoundingClientRect().top;
    choose(target.value);
    // Examples above may have become longer or shorter.
    scrollBy({ top: target.getBoundingClientRect().top - top, behavior: 'instant' });
    try {
      localStorage.setItem(KEY, target.value);
    } catch {
      // As above.
    }
  });
}

// On a phone the menu covers the page, whose address may be the same but for the anchor.
{
  const menu = document.getElementById('docs-menu');
  menu.addEventListener('click', ({ target }) => {
    if (target.closest('a') && menu.matches(':popover-open')) menu.hidePopover();
  });
}

// The contents show which section is read.
{
  const links = new Map();
  for (const link of document.querySelectorAll('.contents a, .pages ul ul a')) {
    links.set(decodeURIComponent(link.hash.slice(1)), link);
  }
  const watch = (entries) => {
    const read = entries.findLast(({ isIntersecting }) => isIntersecting);
    if (!read) return;
    for (const link of links.values()) link.removeAttribute('aria-current');
    links.get(read.target.id).setAttribute('aria-current', 'location');
  };
  // The upper part of the window, below the header.
  const observer = new IntersectionObserver(watch, { rootMargin: '-72px 0px -65%' });
  for (const id of links.keys()) observer.observe(document.getElementById(id));
}

// The search: a combobox with a list of links (WAI-ARIA 1.2). Enter without a choice opens the page of all results.
{
  const MOST_RESULTS = 12;
  const form = document.querySelector('.find');
  const input = form.querySelector('input');
  const list = Object.assign(document.createElement('div'), { id: 'docs-results', className: 'found', hidden: true });
  const status = Object.assign(document.createElement('p'), { className: 'visually-hidden' });
  let loading;
  let active = -1;

  list.setAttribute('role', 'listbox');
  list.setAttribute('aria-label', form.querySelector('label').textContent);
  status.setAttribute('role', 'status');
  form.append(list, status);
  for (const [name, value] of Object.entries({
    role: 'combobox',
    'aria-controls': list.id,
    'aria-autocomplete': 'list',
    'aria-expanded': 'false',
  })) {
    input.setAttribute(name, value);
  }

  async function read() {
    const answer = await fetch(form.dataset.index);
    if (!answer.ok) throw new Error(answer.statusText);
    return openSearch(await answer.json());
  }

  function load() {
    loading ??= read().catch((error) => {
      loading = undefined;
      throw error;
    });
    return loading;
  }

  function textOf(className, text) {
    return Object.assign(document.createElement('span'), { className, textContent: text });
  }

  function optionOf(entry, at) {
    const option = Object.assign(document.createElement('a'), {
      id: `docs-result-${at}`,
      href: entry.path,
      tabIndex: -1,
    });
    option.setAttribute('role', 'option');
    option.setAttribute('aria-selected', 'false');
    option.append(
      textOf('kind', entry.kind),
      textOf('title', entry.title),
      textOf('where', entry.where),
      textOf('text', entry.excerpt),
    );
    return option;
  }

  function show(open) {
    list.hidden = !open;
    input.setAttribute('aria-expanded', String(open));
    activate(-1);
  }

  function activate(at) {
    list.children[active]?.setAttribute('aria-selected', 'false');
    active = at;
    const option = list.children[at];
    option?.setAttribute('aria-selected', 'true');
    option?.scrollIntoView({ block: 'nearest' });
    if (option) input.setAttribute('aria-activedescendant', option.id);
    else input.removeAttribute('aria-activedescendant');
  }

  async function find() {
    const asked = input.value;
    if (asked.trim() === '') {
      status.textContent = '';
      return show(false);
    }
    const search = await load().catch(() => null);
    // Something else was typed meanwhile.
    if (asked !== input.value) return;
    const found = search ? search(asked, MOST_RESULTS) : [];
    list.replaceChildren(...found.map(optionOf));
    const { none, one, many, failed } = docsWords;
    const count = [none, one][found.length] ?? many.replace('{count}', found.length);
    status.textContent = search ? count : failed;
    if (found.length === 0) list.append(textOf('nothing', status.textContent));
    show(true);
  }

  const KEYS = {
    ArrowDown: (last) => activate(active === last ? -1 : active + 1),
    ArrowUp: (last) => activate(active === -1 ? last : active - 1),
    Enter: () => {
      const { href } = list.children[active];
      // It may be on this page.
      show(false);
      location.assign(href);
    },
    Escape: () => show(false),
  };

  input.addEventListener('focus', () => load().catch(() => {}));
  input.addEventListener('input', find);
  input.addEventListener('keydown', (event) => {
    const options = list.querySelectorAll('[role="option"]').length;
    if (list.hidden || !(event.key in KEYS) || (event.key === 'Enter' && active < 0)) return;
    event.preventDefault();
    if (options > 0 || event.key === 'Escape') KEYS[event.key](options - 1);
  });
  form.addEventListener('focusout', ({ relatedTarget }) => form.contains(relatedTarget) || show(false));
  list.addEventListener('click', () => show(false));
  input.addEventListener('click', () => input.value && list.hidden && find());
  addEventListener('keydown', (event) => {
    const { key, target, ctrlKey, metaKey, altKey } = event;
    if (key !== '/' || ctrlKey || metaKey || altKey || target.closest?.('input, textarea, select, [contenteditable]'))
      return;
    event.preventDefault();
    input.focus();
    input.select();
  });
}
