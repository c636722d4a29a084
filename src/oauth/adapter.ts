import type { Adapter, AdapterPayload } from 'oidc-provider';
import type { Query } from '../db/database.ts';
import { errors } from './oidc-provider.ts';
import {
  consumeRecord,
  consumeWithGrace,
  deleteGrant,
  deleteRecord,
  extendRecord,
  findRecord,
  hasTokens,
  type Model,
  type OAuthRecord,
  type Payload,
  storeRecord,
  updateRecord,
} from './records.ts';
import { useSessionRecord } from './sessions.ts';

/** How long a refresh token gives the same successors again, in case the answer was lost. */
const REFRESH_GRACE_SECONDS = 30;

/**
 * Stores the provider's records in our table. `findClient`: gives a client's metadata. `sessionIdleMinutes`: how long a session lives
 * without use.
 */
export function adapterOn(
  db: { readonly query: Query },
  findClient: (id: string) => Promise<AdapterPayload | undefined>,
  sessionIdleMinutes: number,
): (model: Model) => Adapter {
  return (model) => ({
    async upsert(id, given, expiresIn) {
      const payload = given as Payload;
      const { exp = Math.floor(Date.now() / 1000) + (expiresIn ?? 0), grantId } = payload;
      const expiresAt = new Date(exp * 1000);
      // Our sign-in creates sessions. One that ended while the provider was using it must not return.
      if (model === 'Session' && payload.accountId) return updateRecord(db, model, id, payload, expiresAt);
      // The library creates one for any cookie, even an invented one. Without a user, only signing out has something to store.
      if (model === 'Session' && !payload.state) return;
      if (!(await storeRecord(db, model, id, payload, expiresAt))) {
        throw new errors.InvalidGrant('the grant was ended meanwhile');
      }
      // A grant lives as long as its tokens. It starts short, since not every grant leads to tokens.
      if (model === 'RefreshToken' && grantId) await extendRecord(db, 'Grant', grantId, expiresAt);
    },
    async find(id) {
      if (model === 'Client') return findClient(id);
      const isSession = model === 'Session';
      const record = await (isSession ? useSessionRecord(db, { id }, sessionIdleMinutes) : findRecord(db, model, id));
      if (!record) return undefined;
      // A second redemption revokes the tokens of the first. While the first is still running, the second only fails.
      const early = model === 'AuthorizationCode' && !(await hasTokens(db, record.payload.grantId ?? ''));
      return { ...asStored(model, early ? { ...record, consumedAt: null } : record), jti: id };
    },
    async findByUid(uid) {
      // The provider uses this for sessions only.
      const record = await useSessionRecord(db, { uid }, sessionIdleMinutes);
      return record ? asStored(model, record) : undefined;
    },
    async consume(id) {
      const consumed =
        model === 'RefreshToken'
          ? await consumeWithGrace(db, model, id, REFRESH_GRACE_SECONDS)
          : await consumeRecord(db, model, id);
      if (!consumed) throw new errors.InvalidGrant('already used');
    },
    destroy: (id) => deleteRecord(db, model, id),
    revokeByGrantId: (grantId) => deleteGrant(db, grantId),
    // For the device flow, which is off.
    findByUserCode: async () => undefined,
  });
}

function asStored(model: Model, { payload, expiresAt, consumedAt }: OAuthRecord): AdapterPayload {
  const grace = model === 'RefreshToken' ? REFRESH_GRACE_SECONDS : 0;
  const spent = consumedAt !== null && Date.now() - consumedAt.getTime() >= grace * 1000;
  return {
    ...(payload as AdapterPayload),
    exp: Math.floor(expiresAt.getTime() / 1000),
    ...(spent && { consumed: true }),
  };
}
