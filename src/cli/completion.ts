import { Argument } from 'commander';
import type { CliCommand, CliContext } from './command.ts';

const SHELLS = ['bash', 'zsh', 'fish'] as const;

const HOW = `
Load it where your shell starts:
  bash  eval "$(npx quarters completion bash)"   in ~/.bashrc
  zsh   eval "$(npx quarters completion zsh)"    in ~/.zshrc, after compinit
  fish  npx quarters completion fish | source    in ~/.config/fish/config.fish

It completes the word quarters, so add an alias for it: alias quarters='npx --prefix <this folder> quarters'`;

/** Declares `completion`. The scripts are made from what the other commands declare, so it is added last. */
export function addCompletionCommand(program: CliCommand, context: CliContext): void {
  program
    .command('completion')
    .description('Print a script that completes commands, options and fixed values in your shell.')
    .addArgument(new Argument('<shell>', 'the shell').choices(SHELLS))
    .addHelpText('after', `\nExample:\n  $ npx quarters completion bash\n${HOW}`)
    .action(async (shell: (typeof SHELLS)[number]) => {
      const { completionScript, describeTree } = await import('./completion-scripts.ts');
      context.out.write(completionScript(shell, describeTree(program)));
    });
}
