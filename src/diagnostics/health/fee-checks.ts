import { GWEI, tipToOffer } from '../../chain/fees.ts';
import type { Service } from '../../service/service.ts';
import { type Finding, good } from '../findings/finding.ts';

type FeeSettings = Pick<Service['settings'], 'priorityFeeGwei' | 'maxFeePerGasGwei'>;

/** The tip that transactions offer, and which setting is below what the chain asks for. */
export async function checkFees({ settings, settlement }: Service): Promise<Finding> {
  const { learnedTip } = settlement;
  const { own, offered } = tipsOf(settings, learnedTip);
  const tooLow = ofCeiling(settings, learnedTip);
  if (tooLow) return tooLow;
  if (offered === own) return good(`Transactions offer a tip of ${asGwei(own)}.`);
  return good(`Transactions offer a tip of ${asGwei(offered)}: the chain asks for more than PRIORITY_FEE_GWEI.`);
}

/** As {@link checkFees}, for doctor: null if the settings suit the chain. */
export function judgeTip(settings: FeeSettings, learnedTip: bigint): Finding | null {
  const { own, offered } = tipsOf(settings, learnedTip);
  const tooLow = ofCeiling(settings, learnedTip);
  if (tooLow || offered === own) return tooLow;
  return {
    state: 'warning',
    says: `The chain asks for a tip of ${asGwei(offered)}, more than PRIORITY_FEE_GWEI (${settings.priorityFeeGwei}). It is offered.`,
    remedy: { says: `Set PRIORITY_FEE_GWEI to ${roundedUp(offered)}.`, docs: DOCS },
  };
}

const DOCS = 'docs/operate/gas.md#the-tip';

function tipsOf(settings: FeeSettings, learnedTip: bigint): { own: bigint; offered: bigint } {
  const own = BigInt(settings.priorityFeeGwei) * GWEI;
  return { own, offered: tipToOffer(own, learnedTip, BigInt(settings.maxFeePerGasGwei) * GWEI) };
}

function ofCeiling(settings: FeeSettings, learnedTip: bigint): Finding | null {
  const { offered } = tipsOf(settings, learnedTip);
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
