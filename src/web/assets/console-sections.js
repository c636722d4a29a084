// On a phone the sections are a row that scrolls. It begins at the section that is open.
document.querySelector('.sections [aria-current]')?.scrollIntoView({ inline: 'center', block: 'nearest' });
