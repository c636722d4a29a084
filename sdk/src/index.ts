export type * from './api.generated.ts';
export { ConnectionError, type InputFault, QuartersError, VerificationError } from './errors.ts';
// More exact than what the API's description says of them.
export type { AppEvent, EventType, WebhookMessage } from './events.ts';
export { codeChallenge, type OAuthOptions, QuartersOAuth, type SignIn, type Tokens } from './oauth.ts';
export { type ApprovalResult, approvalPage, guestSignUpPage, readApprovalResult } from './pages.ts';
export { type PlayerOptions, QuartersPlayer } from './player.ts';
export { type ProvenResult, ResultVerifier } from './proof.ts';
export {
  type Asking,
  type Once,
  type Paying,
  type PaymentLine,
  QuartersServer,
  type Recipient,
  type ServerOptions,
} from './server.ts';
export type { CallOptions, TransportOptions } from './transport.ts';
export { type SignedWebhook, signWebhook, type VerifiedWebhook, verifyWebhook } from './webhooks.ts';
