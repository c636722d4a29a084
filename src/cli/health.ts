import type { Command } from 'commander';
import type { HealthCheck, HealthState } from '../features/health/health-check.ts';
import type { Health } from '../features/health/read-health.ts';
import { type CliContext, example, JSON_OPTION, type OutputOptions, print, withService } from './command.ts';

const MARKS: Readonly<Record<HealthState, string>> = {
  good: 'ok      ',
  warning: 'WARNING ',
  bad: 'FAULT   ',
  unknown: 'unknown ',
};

export function addHealthCommand(program: Command, context: CliContext): void {
  program
    .command('health')
    .description('Show the state of every part, and how to fix each fault. Exits with 1 if there is a fault.')
    .option(...JSON_OPTION)
    .addHelpText('after', example('health'))
    .action(async (options: OutputOptions) => {
      const { readHealth } = await import('../features/health/read-health.ts');
      const health = await withService(context, readHealth);
      print(context, options, health, healthText(health));
      const faults = health.checks.filter(({ state }) => state === 'bad').map(({ part }) => part.toLowerCase());
      if (faults.length > 0) throw new Error(`There is a fault: ${faults.join(', ')}.`);
    });
}

/** A part in order is one line. */
function healthText({ checks }: Health): string {
  const widest = Math.max(...checks.map(({ part }) => part.length));
  return checks
    .map((check) => `${MARKS[check.state]}${check.part.padEnd(widest)}  ${check.says}\n${details(check)}`)
    .join('');
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
