/**
 * Chains by the short names that wallets write before an address (EIP-3770), as ethereum-lists/chains has them. A table, because the packages
 * that have the whole list weigh megabytes or are years old. An address on a chain that is not here can be named by its number.
 */
const CHAINS: readonly (readonly [shortName: string, id: number, name: string])[] = [
  ['eth', 1, 'Ethereum'],
  ['oeth', 10, 'OP Mainnet'],
  ['bnb', 56, 'BNB Smart Chain'],
  ['gno', 100, 'Gnosis'],
  ['unichain', 130, 'Unichain'],
  ['pol', 137, 'Polygon'],
  // What it was called before, and Safe still does.
  ['matic', 137, 'Polygon'],
  ['zksync', 324, 'ZKsync Era'],
  ['wc', 480, 'World Chain'],
  ['base', 8453, 'Base'],
  ['imx', 13371, 'Immutable zkEVM'],
  ['holesky', 17000, 'Holesky'],
  ['arb1', 42161, 'Arbitrum One'],
  ['celo', 42220, 'Celo'],
  ['avax', 43114, 'Avalanche'],
  ['linea', 59144, 'Linea'],
  ['basesep', 84532, 'Base Sepolia'],
  ['arb-sep', 421614, 'Arbitrum Sepolia'],
  ['scr', 534352, 'Scroll'],
  ['hoe', 560048, 'Hoodi'],
  ['zora', 7777777, 'Zora'],
  ['sep', 11155111, 'Sepolia'],
  ['opsep', 11155420, 'OP Sepolia'],
];

/** The id of the chain with this short name; null if it is not known here. */
export function chainIdOf(shortName: string): number | null {
  const plain = shortName.toLowerCase();
  return CHAINS.find(([name]) => name === plain)?.[1] ?? null;
}

/** `Base (8453)`. `unnamed`: what one is called that is not known here. */
export function chainName(id: number, unnamed = `chain ${id}`): string {
  const name = CHAINS.find(([, one]) => one === id)?.[2];
  return name === undefined ? unnamed : `${name} (${id})`;
}
