import { EXAMPLES } from '../../base/example-values.ts';
import { APP_ID_PATTERN, USER_ID_PATTERN, UUID_PATTERN } from '../../base/ids.ts';
import { Type } from './schema.ts';

// Values that several responses hold.

export const UserIdOut = Type.String({
  pattern: USER_ID_PATTERN,
  description: "a user's id",
  examples: [EXAMPLES.userId],
});

export const AppIdOut = Type.String({
  pattern: APP_ID_PATTERN,
  description: "an app's id",
  examples: [EXAMPLES.appId],
});

export const RequestIdOut = Type.String({
  pattern: UUID_PATTERN,
  description: "a request's id, a UUID",
  examples: [EXAMPLES.requestId],
});

const ADDRESS = { pattern: '^0x[0-9a-fA-F]{40}$', description: 'an Ethereum address with its EIP-55 checksum' };

export const UserAddressOut = Type.String({ ...ADDRESS, examples: [EXAMPLES.userAddress] });

export const AppAddressOut = Type.String({ ...ADDRESS, examples: [EXAMPLES.appAddress] });

/** A whole number of any size, as text. */
export const WholeNumberOut = Type.String({ pattern: '^\\d+$', description: 'quarters', examples: ['1250'] });

/** The same with thousands separators. */
export const FormattedOut = Type.String({
  pattern: '^\\d{1,3}(,\\d{3})*$',
  description: 'the same with thousands separators',
  examples: ['1,250'],
});

export const TransactionHashOut = Type.String({
  pattern: '^0x[0-9a-f]{64}$',
  description: 'the hash of an Ethereum transaction',
  examples: [EXAMPLES.txId],
});

/** A time: the seconds since 1970 with nanoseconds, and the same in ISO 8601, UTC. */
export const Timestamp = Type.Object(
  {
    seconds: Type.Integer({ examples: [1_769_860_800] }),
    nanoseconds: Type.Integer({ minimum: 0, maximum: 999_999_999, examples: [0] }),
    iso: Type.String({ pattern: '^[^T]+T[^T]+Z$', examples: ['2026-01-31T12:00:00.000Z'] }),
  },
  {
    title: 'Timestamp',
    description: 'A moment: seconds since 1970 and the nanoseconds beyond, and the same in ISO 8601, UTC.',
  },
);
