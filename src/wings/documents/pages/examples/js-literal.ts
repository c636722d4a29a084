/** The width of a line of code in the documentation. */
const WIDTH = 60;

/** A JSON value as JavaScript: on one line if that fits, with `taken` characters before it. */
export function literal(value: unknown, indent = '', taken = 0): string {
  const line = oneLine(value);
  if (indent.length + taken + line.length <= WIDTH || typeof value !== 'object' || value === null) return line;
  return spread(value, indent);
}

function oneLine(value: unknown): string {
  if (typeof value === 'string') return quoted(value);
  if (Array.isArray(value)) return `[${value.map(oneLine).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const fields = Object.entries(value).map(([name, inner]) => `${keyOf(name)}: ${oneLine(inner)}`);
  return fields.length === 0 ? '{}' : `{ ${fields.join(', ')} }`;
}

function spread(value: object, indent: string): string {
  const inner = `${indent}  `;
  const isList = Array.isArray(value);
  const lines = Object.entries(value).map(([name, each]) => {
    const key = isList ? '' : `${keyOf(name)}: `;
    return `${inner}${key}${literal(each, inner, key.length + 1)},\n`;
  });
  return isList ? `[\n${lines.join('')}${indent}]` : `{\n${lines.join('')}${indent}}`;
}

function keyOf(name: string): string {
  return /^[A-Za-z_]\w*$/.test(name) ? name : quoted(name);
}

function quoted(text: string): string {
  return `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;
}

/** `const x = await server.pay({ … });`: a call whose arguments get lines of their own if one line is too short. */
export function awaited(result: string, method: string, ...values: readonly unknown[]): string {
  const begin = `${result}await ${method}(`;
  const line = `${begin}${values.map(oneLine).join(', ')});`;
  if (line.length <= WIDTH) return line;
  const [only] = values;
  if (values.length === 1 && typeof only === 'object' && only) return `${begin}${spread(only, '')});`;
  return `${begin}\n${values.map((value) => `  ${literal(value, '  ', 1)},\n`).join('')});`;
}
