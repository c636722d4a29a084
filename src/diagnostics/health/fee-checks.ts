import { inTime } from '../../base/in-time.ts';
import { GWEI, tipToOffer } from '../../chain/fees.ts';
import { readNodesTip } from '../../chain/learned-tip.ts';
import type { Service } from '../../service/service.ts';
import { ownTip } from '../../settlement/tips.ts';
import { type Finding, good } from '../findings/finding.ts';
import { NODE_LIMIT_MS } from './chain-checks.ts';

type FeeSettings = Pick<Service['settings'], 'priorityFee' | 'maxFeePerGasGwei'>;
/** What is known of the chain, in wei per gas. */
type KnownTips = { readonly learnedTip: bigint; readonly suggestedTip: bigint | null };

/** The tip that transactions offer, and which setting is below what the chain asks for. */
export async function checkFees({ settings, settlement, rpc }: Service): Promise<Finding> {
  const isSet = settings.priorityFee !== undefined;
  // A command may have begun without an answer of the node.
  const asked = isSet
    ? null
    : (settlement.suggestedTip ?? (await inTime(readNodesTip(rpc, settlement), NODE_LIMIT_MS)));
  const known = { learnedTip: settlement.learnedTip, suggestedTip: asked };
  const { own, offered } = tipsOf(settings, known);
  const tooLow = ofCeiling(settings, known);
  if (tooLow) return tooLow;
  const what = settlement.baseFeePerGas === null ? 'gas price' : 'tip';
  if (offered === own)
    return good(`Transactions offer a ${what} of ${asGwei(own)}${asked === null ? '' : ', as the node suggests'}.`);
  const less = isSet ? 'PRIORITY_FEE_GWEI' : 'the node suggests';
  return good(`Transactions offer a ${what} of ${asGwei(offered)}: the chain asks for more than ${less}.`);
}

/** As {@link checkFees}, for doctor: null if the settings suit the chain. */
export function judgeTip(settings: FeeSettings, known: KnownTips): Finding | null {
  const { own, offered } = tipsOf(settings, known);
  const tooLow = ofCeiling(settings, known);
  if (tooLow || offered === own || settings.priorityFee === undefined) return tooLow;
  return {
    state: 'warning',
    says: `The chain asks for a tip of ${asGwei(offered)}, more than PRIORITY_FEE_GWEI (${Number(own) / 1e9}). It is offered.`,
    remedy: { says: `Set PRIORITY_FEE_GWEI to ${roundedUp(offered)}.`, docs: DOCS },
  };
}

const DOCS = 'docs/operate/gas.md#the-tip';

function tipsOf(settings: FeeSettings, { learnedTip, suggestedTip }: KnownTips): { own: bigint; offered: bigint } {
  const own = ownTip(settings, suggestedTip);
  return { own, offered: tipToOffer(own, learnedTip, BigInt(settings.maxFeePerGasGwei) * GWEI) };
}

function ofCeiling(settings: FeeSettings, known: KnownTips): Finding | null {
  const { learnedTip } = known;
  const { offered } = tipsOf(settings, known);
  if (learnedTip <= offered) return null;
  return {
    state: 'warning',
    says: `The chain asks for a tip of ${asGwei(learnedTip)}. ${asGwei(offered)} are offered, a quarter of MAX_FEE_PER_GAS_GWEI, so payments take longer.`,
    remedy: {
      says: `If you want to pay that, set PRIORITY_FEE_GWEI to ${roundedUp(learnedTip)}, and MAX_FEE_PER_GAS_GWEI to at least ${roundedUp(learnedTip * 4n)}.`,
      docs: DOCS,
    },
  };
}

const asGwei = (wei: bigint) => `${Number(wei) / 1e9} gwei`;
const roundedUp = (wei: bigint) => (wei + GWEI - 1n) / GWEI;
