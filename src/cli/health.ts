import type { CliCommand } from './command.ts';

export function addHealthCommand(program: CliCommand): void {
  program
    .command('health')
    .description(
      'Show the state of every part of a running service, and how to fix each fault. Exits with 1 if one is found.',
    )
    .examples('health')
    .prints(async (service) => {
      const { readHealth } = await import('../diagnostics/health/read-health.ts');
      const { foundParts } = await import('./findings-text.ts');
      return foundParts(await readHealth(service));
    });
}
