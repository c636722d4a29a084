/** The limit of everything that is signed: native secp256k1 in one thread. Alone: `node bench/signature-limit.ts`. */
import { randomBytes } from 'node:crypto';
import secp256k1 from 'secp256k1';
import type { Claim, Effort, Figure } from './claim.ts';
import { runAlone } from './run.ts';

const DIGESTS = 1_000;

async function measureSignatures({ quick }: Effort): Promise<Figure[]> {
  const key = randomBytes(32);
  const digests = Array.from({ length: DIGESTS }, () => randomBytes(32));
  const milliseconds = quick ? 500 : 2_000;
  const cpu = process.cpuUsage();
  const began = performance.now();
  let signed = 0;
  for (; performance.now() - began < milliseconds; signed++) secp256k1.ecdsaSign(digests[signed % DIGESTS]!, key);
  const value = (signed * 1000) / (performance.now() - began);
  const { user, system } = process.cpuUsage(cpu);
  return [
    { name: 'signatures in one thread', value, unit: '/s' },
    { name: 'CPU of one signature', value: (user + system) / 1000 / signed, unit: 'ms' },
  ];
}

export const signatureLimit: Claim = {
  name: 'signature-limit',
  title: 'Limit: signatures',
  method:
    'Native secp256k1. A transfer needs two signatures: its authorization, and the transaction, which a bundle shares.',
  measure: measureSignatures,
};

if (import.meta.main) await runAlone(signatureLimit);
