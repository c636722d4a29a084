import { type CliCommand, type CliContext, type OutputOptions, print, withService } from './command.ts';

export function addHealthCommand(program: CliCommand, context: CliContext): void {
  program
    .command('health')
    .description(
      'Show the state of every part of a running service, and how to fix each fault. Exits with 1 if there is a fault.',
    )
    .json()
    .examples('health')
    .action(async (options: OutputOptions) => {
      const { readHealth } = await import('../diagnostics/health/read-health.ts');
      const { failOnFaults, findingsText } = await import('./findings-text.ts');
      const health = await withService(context, readHealth);
      print(context, options, health, findingsText(health));
      failOnFaults(health);
    });
}
