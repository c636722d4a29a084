// Checks a player's proof of liabilities: node verify-liability.mjs proof.json --root <hex> --rpc <url> [--address <0x…>]
//
// One file, no dependencies, Node.js 20 or newer. It believes nothing of the proof file that the root does not commit to, and nothing of
// the root that the chain does not show. Take the root from where the operator published it for everybody, and the node from somebody you
// trust. Exit codes: 0 all of it holds, 1 something does not, 2 wrong usage, 3 what was checked holds, but not all could be checked.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';

const USAGE = `Usage: node verify-liability.mjs <proof.json> --root <hex> [options]

  --root <hex>       the published root, 32 bytes
  --rpc <url>        an Ethereum node to compare with: without it, only the proof itself is checked
  --address <0x…>    your account's address, as you know it
  --token <0x…>      the token's address, as you know it
  --chain <number>   the chain id, as you know it`;
/** The token's supply never exceeds this. A larger sum would be an overflow. */
const MOST = Number.MAX_SAFE_INTEGER;
const MOST_LEVELS = 48;
const RPC_TIMEOUT_MS = 20_000;

/** Something that does not hold. */
class Wrong extends Error {}
/** Something that cannot be checked here. */
class Unknown extends Error {}

const sha256 = (...parts) => createHash('sha256').update(Buffer.concat(parts)).digest();
const say = (mark, text) => console.log(`${mark.padEnd(4)} ${text}`);

let unchecked = 0;

/** Runs one step. A step returns what to print, throws `Wrong` to end everything, or `Unknown` to be left out. */
async function step(name, work) {
  try {
    say('ok', `${name}: ${await work()}`);
  } catch (error) {
    if (!(error instanceof Unknown)) throw error instanceof Wrong ? new Wrong(`${name}: ${error.message}`) : error;
    unchecked++;
    say('?', `${name}: NOT CHECKED. ${error.message}`);
  }
}

// Reading the file: every field is checked before it is used.

function amount(value, name, most = MOST) {
  if (!Number.isSafeInteger(value) || value < 0 || value > most)
    throw new Wrong(`${name} is not a whole number from 0 to ${most}`);
  return value;
}

function bytes(value, name, length) {
  if (typeof value !== 'string' || !new RegExp(`^0x[0-9a-fA-F]{${length * 2}}$`).test(value)) {
    throw new Wrong(`${name} is not ${length} bytes in hexadecimal`);
  }
  return Buffer.from(value.slice(2), 'hex');
}

function uint64(value) {
  const buffer = Buffer.alloc(8);
  buffer.writeBigUInt64BE(BigInt(value));
  return buffer;
}

/** Both sums of a node, each limited by itself. */
const sums = (node, name) => ({
  balance: amount(node?.balance, `the balance of ${name}`),
  rewards: amount(node?.rewards, `the rewards of ${name}`),
});

function readProof(text) {
  const proof = JSON.parse(text);
  if (proof?.format !== 'quarters.liability-proof.v1') throw new Wrong('this is not a proof of liabilities');
  const { statement: said, leaf, path } = proof;
  const depth = amount(said?.depth, 'the depth', MOST_LEVELS);
  if (!Array.isArray(path) || path.length !== depth) throw new Wrong('the path has another length than the tree');
  return {
    said: {
      chainId: amount(said.chainId, 'the chain id'),
      token: bytes(said.token, 'the token', 20),
      treasury: bytes(said.treasury, 'the treasury', 20),
      block: amount(said.block, 'the block'),
      blockHash: bytes(said.blockHash, "the block's hash", 32),
      supply: amount(said.supply, 'the supply'),
      inTreasury: amount(said.inTreasury, "the treasury's balance"),
      accounts: amount(said.accounts, 'the number of accounts'),
      overdrawn: amount(said.overdrawn, 'the number of overdrawn accounts'),
      depth,
      tree: bytes(said.tree, 'the tree', 32),
      balances: amount(said.balances, 'the sum of balances'),
      rewards: amount(said.rewards, 'the sum of rewards'),
    },
    leaf: {
      salt: bytes(leaf?.salt, 'the salt', 32),
      address: bytes(leaf?.address, 'the address', 20),
      ...sums(leaf, 'the leaf'),
    },
    index: amount(proof.index, 'the index', 2 ** depth - 1),
    path: path.map((node, i) => ({ hash: bytes(node?.hash, `hash ${i}`, 32), ...sums(node, `sibling ${i}`) })),
  };
}

// The proof itself.

const inNode = ({ hash, balance, rewards }) => [hash, uint64(balance), uint64(rewards)];

/** Climbs from the leaf to the top. Each node commits to the sums of both children, so no sum on the way can be understated. */
function climb({ leaf, index, path }) {
  const { salt, address, balance, rewards } = leaf;
  const tag = Buffer.from('quarters.liability-leaf.v1');
  let node = { hash: sha256(tag, salt, address, uint64(balance), uint64(rewards)), balance, rewards };
  let at = index;
  for (const sibling of path) {
    const [left, right] = at % 2 === 0 ? [node, sibling] : [sibling, node];
    node = {
      hash: sha256(Buffer.from('quarters.liability-node.v1'), ...inNode(left), ...inNode(right)),
      balance: amount(left.balance + right.balance, 'a sum of balances'),
      rewards: amount(left.rewards + right.rewards, 'a sum of rewards'),
    };
    at = Math.floor(at / 2);
  }
  return node;
}

function rootOf(said) {
  return sha256(
    Buffer.from('quarters.liability-root.v1'),
    uint64(said.chainId),
    said.token,
    said.treasury,
    uint64(said.block),
    said.blockHash,
    ...[said.supply, said.inTreasury, said.accounts, said.overdrawn, said.depth].map(uint64),
    said.tree,
    uint64(said.balances),
    uint64(said.rewards),
  );
}

function checkPath(proof) {
  const { said } = proof;
  const top = climb(proof);
  if (!top.hash.equals(said.tree) || top.balance !== said.balances || top.rewards !== said.rewards) {
    throw new Wrong('your leaf does not lead to the tree');
  }
  return `your leaf is one of ${said.accounts}, and part of their sums`;
}

function checkRoot({ said }, root) {
  if (rootOf(said).toString('hex') !== root) throw new Wrong('this proof does not belong to the published root');
  return `0x${root}`;
}

function checkSums({ said: { balances, inTreasury, supply, rewards } }) {
  if (balances + inTreasury > supply) throw new Wrong('balances and treasury exceed the supply');
  if (rewards > inTreasury) throw new Wrong('the treasury does not cover the rewards');
  return `${balances} quarters in accounts; ${rewards} in rewards, covered by ${inTreasury} in the treasury`;
}

/** All that needs no chain, for programs: import this file with `?library` behind its name. Throws unless it holds. */
export function checkProof(text, root) {
  const proof = readProof(text);
  checkPath(proof);
  checkRoot(proof, root);
  checkSums(proof);
}

// The chain.

async function ask(url, method, params) {
  let reply;
  try {
    const headers = { 'content-type': 'application/json' };
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
    const response = await fetch(url, { method: 'POST', headers, body, signal: AbortSignal.timeout(RPC_TIMEOUT_MS) });
    reply = await response.json();
  } catch (error) {
    throw new Unknown(`The node does not answer ${method}: ${error.cause?.code ?? error.message}.`);
  }
  if (reply?.error || reply?.result === undefined) {
    throw new Unknown(
      `The node refuses ${method}: ${reply?.error?.message ?? 'no result'}. An archive node keeps the state of old blocks.`,
    );
  }
  return reply.result;
}

const hex = (buffer) => `0x${buffer.toString('hex')}`;

/** Asks the token for a number at the block. The block is named by its hash, so that the answer is of no other fork. */
async function askToken(url, said, data) {
  const call = { to: hex(said.token), data };
  const result = await ask(url, 'eth_call', [call, { blockHash: hex(said.blockHash), requireCanonical: true }]);
  if (!/^0x[0-9a-f]{64}$/i.test(result)) throw new Wrong('there is no token at this address');
  return BigInt(result);
}

const balanceOf = (url, said, address) => askToken(url, said, `0x70a08231${address.toString('hex').padStart(64, '0')}`);

function same(found, claimed, what) {
  if (BigInt(found) !== BigInt(claimed)) throw new Wrong(`the chain shows ${found}, the proof says ${claimed} ${what}`);
  return `${claimed} ${what}`;
}

async function compareWithChain(url, { said, leaf }) {
  await step('Chain', async () => same(await ask(url, 'eth_chainId', []), said.chainId, '(chain id)'));
  await step('Block', async () => {
    const block = await ask(url, 'eth_getBlockByNumber', [`0x${said.block.toString(16)}`, false]);
    if (block === null) throw new Unknown('The node does not have this block.');
    if (String(block.hash).toLowerCase() !== hex(said.blockHash)) {
      throw new Wrong(`the chain has another block ${said.block}: the publication is void`);
    }
    return `${said.block} has the hash ${hex(said.blockHash)}`;
  });
  await step('Your balance', async () => same(await balanceOf(url, said, leaf.address), leaf.balance, 'quarters'));
  await step('Supply', async () => same(await askToken(url, said, '0x18160ddd'), said.supply, 'quarters'));
  await step('Treasury', async () => same(await balanceOf(url, said, said.treasury), said.inTreasury, 'quarters'));
}

// All of it.

function options() {
  const text = { type: 'string' };
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: { root: text, rpc: text, address: text, token: text, chain: text },
    });
    if (positionals.length !== 1 || !/^(0x)?[0-9a-f]{64}$/i.test(values.root ?? ''))
      throw new Error('A proof file and --root are needed.');
    return { ...values, root: values.root.toLowerCase().replace(/^0x/, ''), file: positionals[0] };
  } catch (error) {
    console.error(`${error.message}\n\n${USAGE}`);
    process.exit(2);
  }
}

/** Compares a value that the root commits to with what the reader knows. Without that, it is printed for the reader to compare. */
function known(name, found, given) {
  if (given === undefined) say('--', `${name}: ${found}. Compare it with what you know.`);
  else if (found.toLowerCase() !== given.toLowerCase())
    throw new Wrong(`${name}: the proof is of ${found}, not of ${given}`);
  else say('ok', `${name}: ${found}`);
}

async function verify({ file, root, rpc, address, token, chain }) {
  const proof = readProof(readFileSync(file, 'utf8'));
  const { said, leaf } = proof;
  await step('Path', () => checkPath(proof));
  await step('Root', () => checkRoot(proof, root));
  await step('Sums', () => checkSums(proof));
  known('Your address', hex(leaf.address), address);
  known('Token', hex(said.token), token);
  known('Chain id', String(said.chainId), chain);
  say('--', `Your leaf: ${leaf.balance} quarters, and ${leaf.rewards} in rewards`);
  if (said.overdrawn > 0) say('!', `${said.overdrawn} accounts are below zero in the ledger, and count 0`);
  if (rpc) return compareWithChain(rpc, proof);
  unchecked++;
  say('?', 'Chain: NOT CHECKED. Give --rpc <url> to compare with the chain.');
}

async function main() {
  try {
    await verify(options());
    console.log(unchecked === 0 ? 'The proof holds.' : 'What was checked holds, but not all was checked.');
    process.exitCode = unchecked === 0 ? 0 : 3;
  } catch (error) {
    console.log(`NO   ${error.message}\nThe proof does not hold.`);
    process.exitCode = 1;
  }
}

if (new URL(import.meta.url).search !== '?library') await main();
