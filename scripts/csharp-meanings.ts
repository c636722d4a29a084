/** What the values mean that the C# library has constants for. The API's description lists them without a word (docs/integrate has more). */
export const MEANINGS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  RequestStatus: {
    pending: 'The player has not decided yet.',
    approved: 'Approved: the payment is signed and stored, and cannot be revoked.',
    submitted: 'Approved, and its transaction was sent to the chain.',
    completed: 'The chain has paid.',
    failed: 'Approved, and then cancelled on the chain. The request was not paid.',
    declined: 'The player declined, and nothing was paid.',
    expired: 'Nobody decided in time, and nothing was paid.',
    cancelled: 'The app withdrew the request, and nothing was paid.',
  },
  TransferStatus: {
    approved: 'Signed and stored, and cannot be revoked.',
    submitted: 'Its transaction was sent to the chain.',
    completed: 'The chain has paid.',
    failed: 'It was cancelled on the chain, and nothing was paid.',
  },
  AppEventType: {
    'request.approved': 'The player approved: the payment is signed and stored, and cannot be revoked.',
    'request.declined': 'The player declined, and nothing was paid.',
    'request.expired': 'Nobody decided in time, and nothing was paid.',
    'request.cancelled': 'The app withdrew the request, and nothing was paid.',
    'request.completed': 'The chain has paid your app.',
    'request.reorged': 'A reorganisation took the payment back. It is sent again, and completed once more.',
    'request.failed': 'The payment was cancelled on the chain, and nothing was paid.',
    'transfer.completed': 'The chain has paid a transfer or refund of your app.',
    'transfer.reorged': 'A reorganisation took a transfer back. It is sent again, and completed once more.',
    'transfer.failed': 'A transfer was cancelled on the chain, and nothing was paid.',
    'guest.converted': 'A guest of your app is a full user now, with the same id and account.',
    'guest.merged': "A guest's player has an account. The quarters move there, and the guest is closed.",
  },
  EndpointDisabledReason: {
    owner: 'Its owner disabled it.',
    gone: 'It answered 410.',
    failing: 'It failed for three days.',
  },
};
