/** The SQL of a stored hash as text. */
export const hashColumn = (column: string): string => `'0x' || encode(${column}, 'hex')`;
