import type { Queries } from '../../src/db/database.ts';
import { SESSION_STYLE } from '../../src/db/session-style.ts';

/** The tests' server has odd styles, which 1.0.0 took as they were. */
export async function setUsualStyles({ query }: Queries): Promise<void> {
  const [row] = await query<{ name: string }>('SELECT current_database() AS name');
  for (const [setting, value] of Object.entries(SESSION_STYLE)) {
    await query(`ALTER ROLE CURRENT_USER IN DATABASE ${row!.name} SET ${setting} = '${value}'`);
  }
}
