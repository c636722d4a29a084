import { codeOf } from './source-text.ts';

/** Limits the length of files and functions of src/ and local/. A generated file and a language may have any length. */
const MOST_LINES = 250;
const MOST_LINES_OF_FUNCTION = 70;

/** Matches `=>`, `function`, and what may be a method: a name and a parenthesis at the beginning of a line. */
const BEGINNINGS =
  /=>|\bfunction\b[^(]*|^[ \t]*(?:(?:static|async|get|set) )*(?!(?:if|for|while|switch|catch|return|await)\b)#?\w+(?=\()/gm;
const CLOSES: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}' };

/** Finds where the bracket at `from` is closed. */
function closeOf(code: string, from: number): number {
  const waiting: string[] = [];
  for (let at = from; at < code.length; at++) {
    const closing = CLOSES[code[at]!];
    if (closing) waiting.push(closing);
    else if (code[at] === waiting.at(-1) && waiting.length === 1) return at;
    else if (code[at] === waiting.at(-1)) waiting.pop();
  }
  return code.length;
}

/** Finds where an expression ends: at a comma, a semicolon or a bracket that it did not open. A return type ends before the body. */
function endOfExpression(code: string, from: number): number {
  for (let at = from; at < code.length; at++) {
    if (code[at] === '{' && /[\w>\]] $/.test(code.slice(at - 2, at))) return at - 1;
    if (CLOSES[code[at]!]) at = closeOf(code, at);
    else if (/[)\]},;]/.test(code[at]!)) return at - 1;
  }
  return code.length;
}

const nextMark = (code: string, from: number) => from + code.slice(from).search(/\S|$/);

/** Finds where the body of a function with these parameters ends. Null if there is no body, as in a call or an overload. */
function endOfBody(code: string, parameters: number): number | null {
  let at = nextMark(code, closeOf(code, parameters) + 1);
  if (code[at] === '{') return closeOf(code, at);
  if (code[at] !== ':') return null;
  // Braces of the return type are followed by more of it, or by the body.
  for (at++; at < code.length; at++) {
    if (/[;)\]},]/.test(code[at]!)) return null;
    if (!CLOSES[code[at]!]) continue;
    const close = closeOf(code, at);
    if (code[at] === '{' && !/[{>|&[,]/.test(code[nextMark(code, close + 1)] ?? '')) return close;
    at = close;
  }
  return null;
}

/** Finds where the parameters of an arrow function begin. If that is unclear, it is the arrow itself. */
function parametersBefore(code: string, arrow: number): number {
  const close = /\)(?:\s*:[^;{}]*)?\s*$/.exec(code.slice(Math.max(0, arrow - 2_000), arrow));
  if (!close) return arrow;
  let depth = 0;
  for (let at = Math.max(0, arrow - 2_000) + close.index; at >= 0; at--) {
    if (code[at] === ')') depth++;
    else if (code[at] === '(' && --depth === 0) return at;
  }
  return arrow;
}

/** Lists the functions of a source that have more than `most` lines, parameters included. It looks into nested functions too. */
export function longFunctions(source: string, most = MOST_LINES_OF_FUNCTION): { line: number; lines: number }[] {
  const code = codeOf(source);
  const lineOf = (place: number) => code.slice(0, place).split('\n').length;
  return [...code.matchAll(BEGINNINGS)].flatMap(({ 0: mark, index }) => {
    const after = nextMark(code, index + mark.length);
    const isArrow = mark === '=>';
    const end = !isArrow
      ? endOfBody(code, after)
      : code[after] === '{'
        ? closeOf(code, after)
        : endOfExpression(code, after);
    if (end === null) return [];
    const line = lineOf(isArrow ? parametersBefore(code, index) : nextMark(code, index));
    const lines = lineOf(end) - line + 1;
    return lines > most ? [{ line, lines }] : [];
  });
}

/** Whoever checks a proof downloads one file. */
const WHOLE = 'src/web/assets/verify-liability.mjs';

/** Lists each file and each function of src/ and local/ that is too long, one sentence each. */
export function findLong(files: ReadonlyMap<string, string>): string[] {
  return [...files]
    .filter(([path]) => /^(src|local)\//.test(path) && !path.includes('.generated.') && !path.startsWith('src/words/'))
    .filter(([path]) => path !== WHOLE)
    .flatMap(([path, source]) => {
      const lines = source.replace(/\n$/, '').split('\n').length;
      return [
        ...(lines > MOST_LINES ? [`${path} has ${lines} lines.`] : []),
        ...longFunctions(source).map((found) => `The function in ${path}:${found.line} has ${found.lines} lines.`),
      ];
    });
}
