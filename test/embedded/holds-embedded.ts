// Starts the embedded parts in the given folder, prints their URLs and waits to be killed.
import { startEmbeddedChain } from '../../local/anvil/anvil.ts';
import { startEmbeddedPostgres } from '../../local/postgres/postgres.ts';
import { lockFolder } from '../../src/process/data-folder.ts';

const dataDir = process.argv[2]!;
await lockFolder(dataDir);
const [database, chain] = await Promise.all([
  startEmbeddedPostgres({ dataDir, fast: true }),
  startEmbeddedChain({ dataDir }),
]);
console.log(JSON.stringify({ database: database.url, chain: chain.url }));
setInterval(() => {}, 1_000);
