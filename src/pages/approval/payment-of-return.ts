import { requestIdFrom } from '../../base/ids.ts';
import { type FrameOffer, frameOffer } from '../../features/approvals/open-approval.ts';
import type { Service } from '../../service/service.ts';

/** The payment that somebody decides after signing in. Null: they return to another page, or it is decided. `returnTo`: a path. */
export async function paymentOfReturn(service: Service, returnTo: string): Promise<FrameOffer | null> {
  const path = `${service.settings.approvalPath ?? ''}/requests/`;
  if (!returnTo.startsWith(path)) return null;
  const [id = ''] = returnTo.slice(path.length).split('?', 1);
  const requestId = requestIdFrom(id);
  const offer = requestId && (await frameOffer(service, requestId));
  return offer?.request.status === 'pending' ? offer : null;
}
