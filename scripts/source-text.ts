/** Tells code, text and comments of a source apart. It does so without a parser, which would be another dependency. */
type Part = {
  readonly kind: 'text' | 'skipped';
  readonly from: number;
  readonly to: number;
  readonly template: number;
};

// Comments, regular expressions (they begin where no value ended), strings, and what opens and closes templates and blocks.
const TOKENS =
  /(?<skipped>\/\/[^\n]*|\/\*[\s\S]*?\*\/|(?<=(?:^|[(,=:[!&|?{};\n]|=>|\breturn)\s*)\/(?![/*])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n])+\/)|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|[`{}]/g;
const IN_TEMPLATE = /(?:\\[\s\S]|\$(?!\{)|[^`\\$])*/y;

/** Lists the parts of a source that are not code. The parts of one template literal share a number. Each other literal has its own. */
function partsOf(source: string): Part[] {
  const parts: Part[] = [];
  /** For each open brace: the template around its interpolation, or null for a block. */
  const open: (number | null)[] = [];
  let literals = 0;
  /** Reads a template up to its end or its next interpolation. Returns where that ends. */
  const readTemplate = (template: number, from: number): number => {
    IN_TEMPLATE.lastIndex = from;
    IN_TEMPLATE.exec(source);
    const to = IN_TEMPLATE.lastIndex;
    parts.push({ kind: 'text', from, to, template });
    if (source[to] !== '$') return to + 1;
    open.push(template);
    return to + 2;
  };
  TOKENS.lastIndex = 0;
  for (let token = TOKENS.exec(source); token; token = TOKENS.exec(source)) {
    const [from, to] = [token.index, TOKENS.lastIndex];
    if (token.groups?.skipped) parts.push({ kind: 'skipped', from, to, template: -1 });
    else if (token[0] === '{') open.push(null);
    else if (token[0] === '`') TOKENS.lastIndex = readTemplate(literals++, to);
    else if (token[0] === '}') {
      const template = open.pop() ?? null;
      if (template !== null) TOKENS.lastIndex = readTemplate(template, to);
    } else parts.push({ kind: 'text', from: from + 1, to: to - 1, template: literals++ });
  }
  return parts;
}

/**
 * Lists the texts of all string and template literals, also of those within interpolations. In the text around it, an interpolation is
 * a question mark.
 */
export function literalsOf(source: string): string[] {
  const texts = new Map<number, string[]>();
  for (const { kind, from, to, template } of partsOf(source)) {
    if (kind === 'text') texts.set(template, [...(texts.get(template) ?? []), source.slice(from, to)]);
  }
  return [...texts.values()].map((pieces) => pieces.join('?'));
}

/** Returns the source with blanks in place of comments and of the texts of literals. Every line and column stays where it is. */
export function codeOf(source: string): string {
  let code = '';
  let at = 0;
  for (const { from, to } of partsOf(source)) {
    code += source.slice(at, from) + source.slice(from, to).replace(/[^\n]/g, ' ');
    at = to;
  }
  return code + source.slice(at);
}
