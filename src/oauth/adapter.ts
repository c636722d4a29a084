import type { Adapter, AdapterPayload } from 'oidc-provider';
import type { Query } from '../db/database.ts';
import { useSessionRecord } from './living-sessions.ts';
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

/** An answer that got lost on its way: the same refresh token gives the same successors again for so long. */
const REFRESH_GRACE_SECONDS = 30;

/**
 * How the provider keeps its records in our table. `findClient`: the metadata of a client. `sessionIdleMinutes`: how long a session lives
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
      // Sessions are made where people sign in. One that was ended while the provider held it must not come back.
      if (model === 'Session' && payload.accountId) return updateRecord(db, model, id, payload, expiresAt);
      // The library makes one for any cookie, made-up ones too. Where nobody is signed in, only signing out has something to note.
      if (model === 'Session' && !payload.state) return;
      if (!(await storeRecord(db, model, id, payload, expiresAt))) {
        throw new errors.InvalidGrant('the grant was ended meanwhile');
      }
      // A grant lives as long as what it was given for: it starts short, as not every one leads to tokens.
      if (model === 'RefreshToken' && grantId) await extendRecord(db, 'Grant', grantId, expiresAt);
    },
    async find(id) {
      if (model === 'Client') return findClient(id);
      const isSession = model === 'Session';
      const record = await (isSession ? useSessionRecord(db, { id }, sessionIdleMinutes) : findRecord(db, model, id));
      if (!record) return undefined;
      // A second redemption ends what came of the first; while the first is still under way, it just does not succeed.
      const early = model === 'AuthorizationCode' && !(await hasTokens(db, record.payload.grantId ?? ''));
      return { ...asStored(model, early ? { ...record, consumedAt: null } : record), jti: id };
    },
    async findByUid(uid) {
      // The provider looks for sessions only in this way.
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
    // Of the device flow, which is off.
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
