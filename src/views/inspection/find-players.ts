import { Problem } from '../../base/problems.ts';
import { lookUpAccount } from '../../ledger/accounts.ts';
import type { Service } from '../../service/service.ts';
import { type SearchOutcome, searchEverything } from './search.ts';
import { searchTerm } from './search-term.ts';

/** Finds what a text names, and by an account's address whose it is. Throws `invalid-input` for what cannot be looked for. */
export async function findPlayers(
  service: Pick<Service, 'db' | 'reads' | 'rpc' | 'security' | 'chain'>,
  text: string,
): Promise<SearchOutcome> {
  const term = searchTerm(text, service.chain.chainId);
  if (term.kind === 'fault') throw new Problem('invalid-input', term.says);
  if (term.kind !== 'address') return searchEverything(service, term);
  const account = await lookUpAccount(service.reads, term.address);
  if (account?.userId) return searchEverything(service, { kind: 'user', id: account.userId });
  if (account?.appId) return searchEverything(service, { kind: 'app', id: account.appId });
  return { hits: [], lookedFor: 'player or app with this account', isPart: false };
}
