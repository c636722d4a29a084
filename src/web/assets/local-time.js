// Shows moments in the reader's time zone. Without the script the page says them in UTC, which stays in the title.
{
  const { language, today, yesterday } = localTimeWords;
  const clock = new Intl.DateTimeFormat(language, { timeStyle: 'short' });
  const date = new Intl.DateTimeFormat(language, { dateStyle: 'medium' });
  const wholeDay = new Intl.DateTimeFormat(language, { dateStyle: 'long' });

  function localOf(at, dayOnly) {
    if (dayOnly) return wholeDay.format(at);
    const dayBefore = new Date();
    const isToday = date.format(dayBefore) === date.format(at);
    dayBefore.setDate(dayBefore.getDate() - 1);
    const isYesterday = date.format(dayBefore) === date.format(at);
    const day = isToday ? today : isYesterday ? yesterday : `${date.format(at)}, {time}`;
    return day.replace('{time}', clock.format(at));
  }

  function showAll() {
    for (const time of document.querySelectorAll('time[datetime*="T"]:not([title])')) {
      time.title = time.textContent;
      time.textContent = localOf(new Date(time.dateTime), 'day' in time.dataset);
    }
  }

  showAll();
  // Other scripts replace parts of the page by newer ones from the server.
  new MutationObserver(showAll).observe(document.body, { childList: true, subtree: true });
}
