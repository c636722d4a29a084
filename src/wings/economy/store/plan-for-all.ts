import type { Tx } from '../../../db/database.ts';

/**
 * Lets the planner read whole tables in this transaction. Otherwise it looks up each row in an index, which is right for a payment and slow
 * for all players.
 */
export async function planForAll({ query }: Tx): Promise<void> {
  const settings = {
    enable_hashjoin: 'on',
    enable_seqscan: 'on',
    jit: 'off',
    plan_cache_mode: 'force_custom_plan',
    work_mem: '64MB',
  };
  await query('SELECT set_config(key, value, true) FROM jsonb_each_text($1)', [JSON.stringify(settings)]);
}
