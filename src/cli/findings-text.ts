import { printable } from '../base/printable.ts';
import type { HealthCheck, HealthState } from '../diagnostics/findings/finding.ts';
import type { CheckReport } from '../diagnostics/findings/run-checks.ts';
import type { Printed } from './command.ts';

const MARKS: Readonly<Record<HealthState, string>> = {
  good: 'ok      ',
  warning: 'WARNING ',
  bad: 'FAULT   ',
  unknown: 'unknown ',
};
const COLUMNS = 80;
const INDENT = ' '.repeat(10);

/** What was found, for a terminal of 80 columns. A part in order is one line, unless its facts are asked for. A fault ends the command with 1. */
export function foundParts(report: CheckReport, facts: 'of faults' | 'of all' = 'of faults'): Printed {
  const faults = report.checks.filter(({ state }) => state === 'bad').map(({ part }) => part.toLowerCase());
  const end = new Error(`There is a fault: ${[...new Set(faults)].join(', ')}.`);
  return { json: report, text: findingsText(report, facts), end: faults.length > 0 ? end : undefined };
}

function findingsText({ checks }: CheckReport, facts: 'of faults' | 'of all'): string {
  const widest = Math.max(...checks.map(({ part }) => part.length));
  return checks
    .map((check) => {
      const head = `${MARKS[check.state]}${check.part.padEnd(widest)}  `;
      return `${wrapped(check.says, head, ' '.repeat(head.length))}${check.state === 'good' && facts === 'of faults' ? '' : details(check)}`;
    })
    .join('');
}

function details({ facts, remedy }: HealthCheck): string {
  const sentences = [
    ...facts.map(({ name, value, about }) => `${name}: ${about ? `${about.label} ` : ''}${value}`),
    ...(remedy ? [remedy.says, ...(remedy.addresses ?? [])] : []),
  ];
  // What is copied stays on one line.
  const copied = remedy ? [...(remedy.command ? [`$ npx ${remedy.command}`] : []), `See ${remedy.docs}`] : [];
  return [
    ...sentences.map((sentence) => wrapped(sentence, INDENT, `${INDENT}  `)),
    ...copied.map((line) => `${INDENT}${printable(line)}\n`),
  ].join('');
}

/** The text after `head`, in lines of at most 80 columns where its words allow that. Further lines begin with `indent`. */
export function wrapped(text: string, head: string, indent: string): string {
  const lines: string[] = [];
  let line = head;
  let isEmpty = true;
  for (const word of printable(text).split(' ')) {
    if (!isEmpty && line.length + 1 + word.length > COLUMNS) {
      lines.push(line);
      line = indent + word;
    } else line += isEmpty ? word : ` ${word}`;
    isEmpty = false;
  }
  return `${[...lines, line].join('\n')}\n`;
}
