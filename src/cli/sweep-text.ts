import { toChecksum } from '../base/address.ts';
import { formatEthers, withThousands } from '../base/quarters.ts';
import type { SweepPlan } from '../features/custody/plan-sweep.ts';
import type { Swept } from '../features/custody/sweep-keys.ts';
import type { Printed } from './command.ts';
import { formatFacts } from './format.ts';

const NAMES: Readonly<Record<SweepPlan['accounts'][number]['kind'], string>> = {
  app: 'Accounts of apps',
  recovered: 'Accounts that were found',
  treasury: 'Treasury',
  user: 'Accounts of players',
};

const count = (number: number) => withThousands(BigInt(number));

const CHAIN_KNOWS_MORE = `Warning: the chain has payments that the database lacks. If the database was restored from a backup, do not continue: start the service, and
run npx quarters restore. Accounts that it lacks would be lost. If somebody else has made these payments with your keys, continue.`;

/** What a sweep would do, and what the operator does before and after it. */
export function sweepPlanText({ accounts, relayers, masterKeySince, chainKnowsMore }: SweepPlan): string {
  const facts = formatFacts([
    ...accounts.map(
      ({ kind, accounts, quarters }) =>
        [NAMES[kind], `${count(accounts)}, with ${withThousands(quarters)} quarters`] as const,
    ),
    ...relayers.map(
      ({ address, purpose, wei }) =>
        [
          purpose === 'operator' ? 'Relayer of the operator' : 'Relayer',
          `${toChecksum(address)}, ${formatEthers(wei)} ether`,
        ] as const,
    ),
    ['Master key in use since', masterKeySince],
  ]);
  const warning = chainKnowsMore ? `\n${CHAIN_KNOWS_MORE}\n` : '';
  return `${facts}${warning}
All of these get new keys and new addresses. The next start of the service moves the quarters there, hands over the token's roles, and sends
the relayers' ether on. It accepts no payment until all quarters have moved. This cannot be undone.

Before: if the master key may be known, replace it: npx quarters custody rotate-master. Otherwise it opens the new seed too, for whoever gets a
backup or a kit. Take a backup.
Afterwards: keep the new recovery kit, and take a backup: earlier ones are of no use then. Send the new relayers ether if theirs does not
arrive. Tell games that addresses change. Those that they know still name their accounts.
`;
}

function sweptText({ rekeyed, accounts, quarters, relayers, kitAt }: Swept): string {
  const facts = formatFacts([
    ['Accounts with new keys', rekeyed],
    ['To be moved', `${withThousands(quarters)} quarters of ${withThousands(accounts)} accounts`],
    ...relayers.map(
      ({ purpose, replacement }) =>
        [
          purpose === 'operator' ? 'New relayer of the operator' : 'New relayer',
          toChecksum(replacement.address),
        ] as const,
    ),
  ]);
  return `${facts}
Start the service now: until then, whoever has the old keys can take what is there.
npx quarters custody status says how much is left to move. Payments are accepted when nothing is.
${kitAt ? `The new recovery kit is ${kitAt}.` : 'Print the new recovery kit: npx quarters custody kit'}
When it is kept, say so: npx quarters custody kit --kept
Then take a backup, and say so: npx quarters custody status --backed-up
`;
}

/** What a sweep has done. */
export function swept(done: Swept): Printed {
  return { json: sweptJson(done), text: sweptText(done) };
}

function sweptJson({ rekeyed, accounts, quarters, relayers, kitAt, beganAt }: Swept): object {
  return {
    beganAt,
    rekeyed,
    toMove: { accounts, quarters },
    relayers: relayers.map(({ address, purpose, replacement }) => {
      return { purpose, before: toChecksum(address), now: toChecksum(replacement.address) };
    }),
    kitAt,
  };
}
