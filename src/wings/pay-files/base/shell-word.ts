/** Text as one word of a shell's line, so that a command that is printed can be copied. */
export function shellWord(text: string): string {
  return /^[\w.,:=@%/+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
