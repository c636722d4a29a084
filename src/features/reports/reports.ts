import { insertReport, type Reason } from '../../requests/reports.ts';
import type { TransferRequest } from '../../requests/requests.ts';
import type { Service } from '../../settlement/service.ts';
import { countGuess } from '../credentials/count-guess.ts';

const LIMITS = { ofAddress: 30, ofUser: 5, minutes: 15 };

export type Complaint = {
  /** The request that the player was shown. */
  readonly request: TransferRequest;
  readonly reason: Reason;
  /** Up to 500 characters. */
  readonly text: string;
  /** The address that the report is counted under: see `clientAddress`. */
  readonly address: string;
};

/**
 * A player reports to the operator that something is wrong with a payment they are asked for. The request does not
 * change. Throws `too-many-tries`.
 */
export async function reportProblem(service: Service, { request, reason, text, address }: Complaint): Promise<void> {
  const { id: requestId, appId, userId } = request;
  await countGuess(service, 'report', [
    { key: `address ${address}`, most: LIMITS.ofAddress, minutes: LIMITS.minutes },
    { key: `user ${userId}`, most: LIMITS.ofUser, minutes: LIMITS.minutes },
  ]);
  // The text is the player's, and stays out of the log.
  if (await insertReport(service.db, { appId, requestId, userId, reason, text })) {
    service.log.warn(
      { appId, paymentId: requestId, reason },
      'a player has reported a problem: see `quarters reports list`',
    );
  }
}
