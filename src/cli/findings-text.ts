import type { HealthCheck, HealthState } from '../features/findings/finding.ts';
import type { Findings } from '../features/findings/run-checks.ts';

const MARKS: Readonly<Record<HealthState, string>> = {
  good: 'ok      ',
  warning: 'WARNING ',
  bad: 'FAULT   ',
  unknown: 'unknown ',
};

/** What was found, for a terminal. A part in order is one line. */
export function findingsText({ checks }: Findings): string {
  const widest = Math.max(...checks.map(({ part }) => part.length));
  return checks
    .map((check) => `${MARKS[check.state]}${check.part.padEnd(widest)}  ${check.says}\n${details(check)}`)
    .join('');
}

/** Throws an error that names the parts with a fault, so that the command exits with 1. */
export function failOnFaults({ checks }: Findings): void {
  const faults = checks.filter(({ state }) => state === 'bad').map(({ part }) => part.toLowerCase());
  if (faults.length > 0) throw new Error(`There is a fault: ${[...new Set(faults)].join(', ')}.`);
}

function details({ state, facts, remedy }: HealthCheck): string {
  if (state === 'good') return '';
  const lines = [
    ...facts.map(({ name, value, about }) => `${name}: ${about ? `${about.label} ` : ''}${value}`),
    ...(remedy
      ? [
          remedy.says,
          ...(remedy.addresses ?? []),
          ...(remedy.command ? [`$ npx ${remedy.command}`] : []),
          `See ${remedy.docs}`,
        ]
      : []),
  ];
  return lines.map((line) => `          ${line.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '\u{FFFD}')}\n`).join('');
}
