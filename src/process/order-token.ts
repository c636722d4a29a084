import { mkdir, open, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { TokenKeeper } from '../membership/left-in-order.ts';
import { readFields } from './data-folder.ts';

/** What only this file has: a copy of it has another inode, or was born at another time. */
type Identity = { readonly inode: string; readonly born: string };

/**
 * Keeps the token of an orderly stop in the data folder. The folder may be copied and restored together with an embedded database, so
 * the file says which file it is, and a copy of it says nothing.
 */
export function tokenInFolder(dataDir: string): TokenKeeper {
  const path = join(dataDir, 'left-in-order.json');
  return {
    async keep(token) {
      await mkdir(dataDir, { recursive: true, mode: 0o700 });
      await rm(`${path}.new`, { force: true });
      const file = await open(`${path}.new`, 'wx', 0o600);
      try {
        const identity = identityOf(await file.stat({ bigint: true }));
        await file.writeFile(`${JSON.stringify({ token, ...identity })}\n`);
        await file.sync();
      } finally {
        await file.close();
      }
      await rename(`${path}.new`, path);
    },
    async take() {
      const [fields, found] = await Promise.all([readFields(path), stat(path, { bigint: true }).catch(() => null)]);
      await rm(path, { force: true });
      if (!fields || !found) return null;
      const { inode, born } = identityOf(found);
      // Some file systems do not know when a file was born. Inodes are used again, so they prove nothing alone.
      const isItself = born !== '0' && fields.inode === inode && fields.born === born;
      return isItself && typeof fields.token === 'string' ? fields.token : null;
    },
  };
}

function identityOf({ ino, birthtimeNs }: { readonly ino: bigint; readonly birthtimeNs: bigint }): Identity {
  return { inode: `${ino}`, born: `${birthtimeNs}` };
}
