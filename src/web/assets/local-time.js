// Shows moments and days as they are in the reader's time zone. What the page says without the script stays in the title. It is in UTC,
// which moments name and days do not. Moments with `data-utc` stay in UTC.
{
  const { language, today, yesterday, otherDay } = localTimeWords;
  const clock = new Intl.DateTimeFormat(language, { timeStyle: 'short' });
  const date = new Intl.DateTimeFormat(language, { dateStyle: 'medium' });
  const wholeDay = new Intl.DateTimeFormat(language, { dateStyle: 'long' });

  function localOf(at, dayOnly) {
    if (dayOnly) return wholeDay.format(at);
    const dayBefore = new Date();
    dayBefore.setDate(dayBefore.getDate() - 1);
    const day = date.format(at);
    const said = { [date.format(dayBefore)]: yesterday, [date.format(new Date())]: today }[day] ?? otherDay;
    return said.replace('{day}', day).replace('{time}', clock.format(at));
  }

  for (const time of document.querySelectorAll('time[datetime*="T"]:not([data-utc])')) {
    time.title = time.textContent;
    time.textContent = localOf(new Date(time.dateTime), 'day' in time.dataset);
  }
}
