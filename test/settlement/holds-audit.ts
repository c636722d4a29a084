import { asAddress } from '../../src/base/address.ts';
import { runAudit } from '../../src/jobs/run-audit.ts';

// Runs an audit as a service does, until it is killed. Arguments: the database, the node, the token.
const [databaseUrl = '', rpcUrl = '', token = ''] = process.argv.slice(2);
const chain = { contracts: { token: asAddress(token) } };
const service = { connections: { databaseUrl, rpcUrls: [rpcUrl] }, chain };
const audit = runAudit(service, 1, new AbortController().signal);
console.log('started');
await audit;
