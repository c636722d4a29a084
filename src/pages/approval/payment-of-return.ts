import { type RequestId, UUID_PATTERN } from '../../base/ids.ts';
import { type FrameOffer, frameOffer } from '../../features/approvals/open-approval.ts';
import type { Service } from '../../service/service.ts';

const REQUEST_ID = new RegExp(UUID_PATTERN);

/** The payment that somebody decides after signing in. Null: they return to another page, or it is decided. `returnTo`: a path. */
export async function paymentOfReturn(service: Service, returnTo: string): Promise<FrameOffer | null> {
  const path = `${service.settings.approvalPath ?? ''}/requests/`;
  if (!returnTo.startsWith(path)) return null;
  const [id = ''] = returnTo.slice(path.length).split('?', 1);
  const offer = REQUEST_ID.test(id) ? await frameOffer(service, id.toLowerCase() as RequestId) : null;
  return offer?.request.status === 'pending' ? offer : null;
}
