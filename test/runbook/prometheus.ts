import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { startChild } from '../../local/child.ts';
import { freePort } from '../../src/http/listen.ts';
import { atEnd } from '../kit/unit/at-end.ts';
import { until } from '../kit/unit/until.ts';

export type Prometheus = {
  /** Resolves when the alert fires. */
  fires(alert: string): Promise<void>;
  /** Resolves when the alert is over. */
  resolves(alert: string): Promise<void>;
  /** The alerts that fire, or are about to. */
  active(): Promise<string[]>;
};

const RULES = join(import.meta.dirname, '../../monitoring/alerts.yml');
/** What monitoring waits for in days and minutes happens here in seconds. One lockout stands for twenty. */
const SHORTER: readonly (readonly [RegExp, string])[] = [
  [/for: \d+[mh]/g, 'for: 1s'],
  [/\[\d+[mh]\]/g, '[12s]'],
  // A restart is within it, as within a day.
  [/\[1d\]/g, '[1m]'],
  [/> 7200/g, '> 15'],
  [/> 900/g, '> 3'],
  [/_seconds, 60\)/g, '_seconds, 3)'],
  [/(locked-out.*) > 20/g, '$1 > 0'],
];

/** The alert rules, with all their times shortened. Throws if a rule of `SHORTER` matches nothing. */
function shortenedRules(): string {
  return SHORTER.reduce(
    (rules, [times, seconds]) => {
      if (rules.search(times) === -1) throw new Error(`No rule has ${times} any more: shorten what took its place.`);
      return rules.replaceAll(times, seconds);
    },
    readFileSync(RULES, 'utf8'),
  );
}

/** A real Prometheus that scrapes this port as `job_name: quarters`, with the alert rules of `monitoring`. */
export async function startPrometheus(t: TestContext, port: number): Promise<Prometheus> {
  const folder = mkdtempSync(join(tmpdir(), 'quarters-prometheus-'));
  atEnd(t, () => rmSync(folder, { recursive: true, force: true }));
  const [own, config] = [await freePort(), join(folder, 'prometheus.yml')];
  writeFileSync(join(folder, 'alerts.yml'), shortenedRules());
  writeFileSync(
    config,
    `global: { scrape_interval: 2500ms, scrape_timeout: 2500ms, evaluation_interval: 1s }
rule_files: [alerts.yml]
scrape_configs: [{ job_name: quarters, static_configs: [{ targets: ['127.0.0.1:${port}'] }] }]
`,
  );
  const child = await startChild({
    command: 'prometheus',
    args: [
      `--config.file=${config}`,
      `--storage.tsdb.path=${join(folder, 'data')}`,
      `--web.listen-address=127.0.0.1:${own}`,
      '--log.level=warn',
    ],
    env: { PATH: process.env.PATH },
  });
  atEnd(t, () => child.stop());

  const states = async (): Promise<{ readonly alert: string; readonly state: string }[]> => {
    const answer = await fetch(`http://127.0.0.1:${own}/api/v1/alerts`).catch(() => null);
    if (!answer?.ok) return [{ alert: 'Prometheus', state: 'unavailable' }];
    const { data } = (await answer.json()) as { data: { alerts: { labels: { alertname: string }; state: string }[] } };
    return data.alerts.map(({ labels, state }) => ({ alert: labels.alertname, state }));
  };
  const seen = async () => `${JSON.stringify(await states())}\n${child.lastOutput()}`;
  await until('Prometheus answers', async () => !(await states()).some(({ alert }) => alert === 'Prometheus'), seen);
  return {
    fires: (name) =>
      until(
        `${name} fires`,
        async () => (await states()).some(({ alert, state }) => alert === name && state === 'firing'),
        seen,
      ),
    resolves: (name) =>
      until(`${name} is over`, async () => (await states()).every(({ alert }) => alert !== name), seen),
    active: async () => (await states()).map(({ alert }) => alert),
  };
}
