/** An address of EIP-55 with one letter in the wrong case. A random one may have a single capital, and is then right in any case. */
export const MISTYPED = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAeD'.replace('aA', 'AA');
