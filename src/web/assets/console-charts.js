// Draws the charts of the consoles. Each is a figure whose table holds the data, so this reads what the page says anyway: the first column
// has the times, each other one a line. Without the script the tables are open.
{
  const language = document.querySelector('.charts').dataset.locale;
  // In the page's language without a country: British English writes "1.2m" for a million, which is also a metre or a minute.
  const compact = new Intl.NumberFormat(document.documentElement.lang, {
    notation: 'compact',
    maximumFractionDigits: 1,
  });
  const axisNumber = (value) => compact.format(value).replace('-', '−');
  const DASHES = [[], [6, 3], [2, 3]];
  const HEIGHT = 220;
  // Quarters and calls have no fractions.
  const WHOLE = Array.from({ length: 16 }, (_none, i) => [1, 2, 5].map((step) => step * 10 ** i)).flat();
  const DAY_SECONDS = 86_400;

  for (const figure of document.querySelectorAll('figure.chart')) {
    const data = readTable(figure.querySelector('table'));
    const plot = document.createElement('div');
    const said = document.createElement('p');
    plot.className = 'plot';
    said.className = 'said hint';
    figure.querySelector('details').open = false;
    figure.querySelector('figcaption').after(legendOf(data), plot, said);
    follow(figure, plot, said, data);
  }

  // What a cell says is written as the page writes numbers. Its value is in `data-value`; without one there is a gap. A column with
  // `data-note` is said and not drawn.
  function readTable(table) {
    const [, ...heads] = table.tHead.rows[0].cells;
    const names = heads.map((cell) => cell.textContent);
    const isDrawn = (_cell, i) => !('note' in heads[i].dataset);
    const rows = [...table.tBodies[0].rows].map((row) => {
      const time = row.querySelector('time');
      const cells = [...row.cells].slice(1);
      return {
        at: Date.parse(time.dateTime) / 1000,
        said: `${time.textContent}: ${cells.map((cell, i) => `${names[i]} ${cell.textContent}`).join(', ')}`,
        values: cells.filter(isDrawn).map(({ dataset: { value } }) => (value === undefined ? null : Number(value))),
      };
    });
    // Days and months are in UTC. Hours are in the reader's time zone, unless they are marked.
    return {
      names: names.filter((_name, i) => isDrawn(null, i)),
      rows,
      isUtc: !table.querySelector('time[datetime*="T"]:not([data-utc])'),
      isMonthly: table.querySelector('tbody time')?.dateTime.length === 'YYYY-MM'.length,
    };
  }

  function legendOf({ names }) {
    const legend = document.createElement('ul');
    legend.className = 'legend';
    legend.setAttribute('aria-hidden', 'true');
    legend.append(
      ...names.map((name) => {
        const item = document.createElement('li');
        item.textContent = name;
        return item;
      }),
    );
    return legend;
  }

  // A slider over the times: screen readers pass it the arrow keys, and say the text of its value as it changes.
  function follow(figure, plot, said, data) {
    const { rows } = data;
    const last = rows.length - 1;
    let chart = draw(figure, plot, data, show);
    let at = last;
    plot.tabIndex = 0;
    for (const [name, value] of Object.entries({
      role: 'slider',
      'aria-label': figure.querySelector('figcaption').textContent,
      'aria-valuemin': '0',
      'aria-valuemax': String(last),
    })) {
      plot.setAttribute(name, value);
    }
    show(last);

    function show(index) {
      at = index;
      said.textContent = rows[at].said;
      plot.setAttribute('aria-valuenow', String(at));
      plot.setAttribute('aria-valuetext', rows[at].said);
    }

    function moveTo(index) {
      show(Math.min(Math.max(index, 0), last));
      const y = rows[at].values.find((value) => value !== null) ?? 0;
      chart.setCursor({ left: chart.valToPos(rows[at].at, 'x'), top: chart.valToPos(y, 'y') }, false);
    }

    plot.addEventListener('keydown', (event) => {
      const to = { ArrowRight: at + 1, ArrowUp: at + 1, ArrowLeft: at - 1, ArrowDown: at - 1, Home: 0, End: last }[
        event.key
      ];
      if (to === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      moveTo(to);
    });
    plot.addEventListener('focus', () => moveTo(at));

    new ResizeObserver(() => chart.setSize({ width: plot.clientWidth, height: HEIGHT })).observe(plot);
    for (const query of ['(prefers-color-scheme: dark)', '(forced-colors: active)']) {
      matchMedia(query).addEventListener('change', () => {
        chart.destroy();
        chart = draw(figure, plot, data, show);
      });
    }
  }

  function draw(figure, plot, { names, rows, isUtc, isMonthly }, show) {
    const style = getComputedStyle(figure);
    const role = (name) => style.getPropertyValue(name).trim();
    const { suffix = '' } = figure.dataset;
    const axis = {
      stroke: role('--soft'),
      grid: { stroke: role('--line'), width: 1 },
      ticks: { show: false },
      font: `12px ${style.fontFamily}`,
    };
    const options = {
      width: plot.clientWidth,
      height: HEIGHT,
      legend: { show: false },
      padding: [8, 20, 0, 0],
      cursor: { y: false, drag: { setScale: false }, points: { size: 8 } },
      ...(isUtc && { tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), 'UTC') }),
      scales: {
        x: { time: true },
        // From zero, so that a small change looks small.
        y: { range: (_chart, low, high) => [Math.min(low ?? 0, 0), Math.max(high ?? 0, 1) * 1.05] },
      },
      axes: [
        {
          ...axis,
          space: 70,
          size: 28,
          grid: { show: false },
          values: (_chart, times) => times.map(timeOf(rows, isUtc, isMonthly)),
        },
        {
          ...axis,
          size: 56,
          ...(suffix === '' && { incrs: WHOLE }),
          values: (_chart, values) => values.map((value) => `${axisNumber(value)}${suffix}`),
        },
      ],
      series: [
        {},
        ...names.map((label, i) => ({
          label,
          stroke: role(`--series-${i + 1}`),
          width: 2,
          dash: DASHES[i],
          ...(names.length === 1 && { fill: role('--series-fill') }),
          points: { show: rows.length < 40, size: 5, fill: role(`--series-${i + 1}`) },
        })),
      ],
      hooks: {
        setCursor: [
          ({ cursor: { idx, event } }) => {
            // Keys say themselves where they are.
            if (idx !== null && idx !== undefined && event) show(idx);
          },
        ],
      },
    };
    const columns = [rows.map(({ at }) => at), ...names.map((_name, i) => rows.map(({ values }) => values[i]))];
    return new uPlot(options, columns, plot);
  }

  function timeOf(rows, isUtc, isMonthly) {
    const isShort = rows.at(-1).at - rows[0].at <= DAY_SECONDS;
    const format = new Intl.DateTimeFormat(language, {
      ...(isUtc && { timeZone: 'UTC' }),
      ...(isShort
        ? { hour: '2-digit', minute: '2-digit' }
        : { month: 'short', ...(isMonthly ? {} : { day: 'numeric' }) }),
    });
    return (seconds) => format.format(new Date(seconds * 1000));
  }
}
