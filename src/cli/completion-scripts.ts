import type { Command } from 'commander';

/** A command of the tree, as completion needs it. */
type Place = {
  /** The words that lead to it: none for the program itself, `apps keys issue` for a command. */
  readonly path: string;
  /** What may follow: the commands below, or the fixed values of its arguments. */
  readonly words: readonly Word[];
  readonly options: readonly (Word & {
    /** Whether a value follows; `choices` if there are fixed ones. */
    readonly takesValue: boolean;
    readonly choices: readonly string[];
    readonly isFile: boolean;
  })[];
};

type Word = { readonly text: string; readonly description: string };

/** Lists the program and all commands below it. */
export function describeTree(command: Command, path = ''): Place[] {
  const below = command.commands.map((sub) => ({ text: sub.name(), description: sub.description() }));
  const values = command.registeredArguments.flatMap(({ argChoices, description }) =>
    (argChoices ?? []).map((text) => ({ text, description })),
  );
  const options = command.options.map(({ long, short, flags, description, required, optional, argChoices }) => ({
    text: long ?? short ?? '',
    description,
    takesValue: required || optional,
    choices: argChoices ?? [],
    isFile: flags.endsWith('<file>'),
  }));
  const help = {
    text: '--help',
    description: 'display help for command',
    takesValue: false,
    choices: [],
    isFile: false,
  };
  return [
    { path, words: [...below, ...values], options: [...options, help] },
    ...command.commands.flatMap((sub) => describeTree(sub, `${path} ${sub.name()}`.trim())),
  ];
}

export function completionScript(shell: 'bash' | 'zsh' | 'fish', places: readonly Place[]): string {
  if (shell === 'fish') return fishScript(places);
  return shell === 'bash' ? bashScript(places) : zshScript(places);
}

/** Lines of shell that set `place` to the words of the command before the cursor, in bash and zsh alike. */
function findPlace(places: readonly Place[], words: string): string {
  const known = places.filter(({ path }) => path !== '').map(({ path }) => quoted(path));
  return `  local place='' word
  for word in "${words}"; do
    case "\${place:+$place }$word" in
      ${known.join('|')}) place="\${place:+$place }$word" ;;
    esac
  done`;
}

/** The cases for options whose value follows: fixed ones, `files`, or nothing that this could know. */
function valueCases(places: readonly Place[], say: (choices: readonly string[]) => string, files: string): string {
  return places
    .flatMap(({ path, options }) => options.filter(({ takesValue }) => takesValue).map((option) => ({ path, option })))
    .map(({ path, option: { text, choices, isFile } }) => {
      const values = isFile ? `${files}; ` : '';
      return `    ${quoted(`${path} ${text}`)}) ${choices.length > 0 ? `${say(choices)}; ` : values}return ;;`;
    })
    .join('\n');
}

function bashScript(places: readonly Place[]): string {
  const cases = places.map(
    ({ path, words, options }) =>
      `    ${quoted(path)}) words=${quoted([...words, ...options].map(({ text }) => text).join(' '))} ;;`,
  );
  return `# Completes quarters in bash.
_quarters() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" prev="\${COMP_WORDS[COMP_CWORD-1]}" words=''
${findPlace(places, `\${COMP_WORDS[@]:1:COMP_CWORD-1}`)}
  COMPREPLY=()
  case "$place $prev" in
${valueCases(places, (choices) => `COMPREPLY=($(compgen -W ${quoted(choices.join(' '))} -- "$cur"))`, 'COMPREPLY=($(compgen -f -- "$cur"))')}
  esac
  case "$place" in
${cases.join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
}
complete -F _quarters quarters
`;
}

function zshScript(places: readonly Place[]): string {
  const shown = ({ text, description }: Word) => quoted(`${text.replaceAll(':', '\\:')}:${description}`);
  const cases = places.map(
    ({ path, words, options }) => `    ${quoted(path)}) found=(${[...words, ...options].map(shown).join(' ')}) ;;`,
  );
  return `#compdef quarters
# Completes quarters in zsh.
_quarters() {
  local -a found
  local prev="\${words[CURRENT-1]}"
${findPlace(places, `\${(@)words[2,CURRENT-1]}`)}
  case "$place $prev" in
${valueCases(places, (choices) => `compadd -- ${choices.map(quoted).join(' ')}`, '_files')}
  esac
  case "$place" in
${cases.join('\n')}
  esac
  _describe quarters found
}
compdef _quarters quarters
`;
}

function fishScript(places: readonly Place[]): string {
  const known = places.filter(({ path }) => path !== '').map(({ path }) => fishQuoted(path));
  const lines = places.flatMap(({ path, words, options }) => {
    const begin = `complete -c quarters -n ${fishQuoted(`__quarters_at ${fishQuoted(path)}`)}`;
    return [
      ...words.map(({ text, description }) => `${begin} -a ${fishQuoted(text)} -d ${fishQuoted(description)}`),
      ...options.map(({ text, description, takesValue, choices, isFile }) => {
        const values = choices.length > 0 ? ` -x -a ${fishQuoted(choices.join(' '))}` : isFile ? ' -r -F' : ' -x';
        return `${begin} -l ${text.slice(2)}${takesValue ? values : ''} -d ${fishQuoted(description)}`;
      }),
    ];
  });
  return `# Completes quarters in fish.
function __quarters_at
  set -l place ''
  for word in (commandline -opc)[2..]
    set -l next (string trim -- "$place $word")
    contains -- $next ${known.join(' ')}; and set place $next
  end
  test "$place" = "$argv[1]"
end
complete -c quarters -f
${lines.join('\n')}
`;
}

/** A word of bash or zsh, in single quotes. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** A word of fish, in single quotes, where a backslash escapes. */
function fishQuoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
