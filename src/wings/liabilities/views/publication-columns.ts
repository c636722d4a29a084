import type { Column } from '../../../base/columns.ts';
import type { Publication } from '../store/publications.ts';

export const PUBLICATION_COLUMNS = {
  block: { label: 'Block', kind: 'number', value: ({ block }) => `${block}` },
  published: { label: 'Published', value: ({ publishedAt }) => publishedAt },
  accounts: { label: 'Accounts', kind: 'number', value: ({ accounts }) => accounts },
  balances: { label: 'In accounts', kind: 'number', value: ({ balances }) => balances },
  rewards: { label: 'In rewards', kind: 'number', value: ({ rewards }) => rewards },
  state: { label: 'State', value: publicationState },
  root: { label: 'Root', value: ({ root }) => root },
} satisfies Record<string, Column<Publication>>;

export function publicationState({ withdrawnAt, provable }: Publication): 'withdrawn' | 'provable' | 'root only' {
  if (withdrawnAt) return 'withdrawn';
  return provable ? 'provable' : 'root only';
}
