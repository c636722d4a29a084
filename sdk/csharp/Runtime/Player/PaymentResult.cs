using System;

namespace Quarters
{
    /// <summary>How a payment ended, or that it has not ended.</summary>
    public enum PaymentOutcome
    {
        /// <summary>Nobody has decided yet. The player may still approve.</summary>
        Pending,

        /// <summary>Approved. The quarters are yours, whatever the chain does next.</summary>
        Paid,
        /// <summary>The player declined, and nothing was paid.</summary>
        Declined,

        /// <summary>Nobody decided in time.</summary>
        Expired,

        /// <summary>Your app withdrew the request.</summary>
        Cancelled,

        /// <summary>Approved, and stopped on the chain before it was confirmed. A refund, or nothing, reached the player: ask your server.</summary>
        Failed,
    }

    /// <summary>
    /// What became of a payment, as the service says it. A player's device can be made to say anything. So send the request's id to
    /// your server, which reads the request with its own key before it gives what was paid for.
    /// </summary>
    public sealed class PaymentResult
    {
        internal PaymentResult(string requestId, RequestState request, string reason, PendingDeed deed)
        {
            RequestId = requestId;
            Request = request;
            Outcome = request == null ? PaymentOutcome.Pending : OutcomeOf(request.Status);
            Reason = Outcome == PaymentOutcome.Pending ? reason : null;
            Deed = deed;
        }

        /// <summary>The id of the request. Your server reads the payment by it.</summary>
        public string RequestId { get; }

        /// <summary>How the payment ended, by the status that the service gave.</summary>
        public PaymentOutcome Outcome { get; }

        /// <summary>Whether the outcome is <see cref="PaymentOutcome.Paid"/>.</summary>
        public bool IsPaid
        {
            get { return Outcome == PaymentOutcome.Paid; }
        }

        /// <summary>The request as it was last read. Null if it could not be read.</summary>
        public RequestState Request { get; }

        /// <summary>
        /// For <see cref="PaymentOutcome.Pending"/>: why the page gave up, such as <c>insufficient-quarters</c>, or <c>closed</c>. Null if
        /// it did not say. It came by a link that anybody can make, so use it for a message only.
        /// </summary>
        public string Reason { get; }

        internal PendingDeed Deed { get; }

        /// <summary>A status of a later service counts as pending, because the library does not know that it is an end.</summary>
        internal static PaymentOutcome OutcomeOf(string status)
        {
            switch (status)
            {
                case RequestStatus.Approved:
                case RequestStatus.Submitted:
                case RequestStatus.Completed:
                    return PaymentOutcome.Paid;
                case RequestStatus.Declined:
                    return PaymentOutcome.Declined;
                case RequestStatus.Expired:
                    return PaymentOutcome.Expired;
                case RequestStatus.Cancelled:
                    return PaymentOutcome.Cancelled;
                case RequestStatus.Failed:
                    return PaymentOutcome.Failed;
                default:
                    return PaymentOutcome.Pending;
            }
        }
    }

    /// <summary>How a payment is asked for. All of it is optional.</summary>
    public sealed class PaymentOptions
    {
        /// <summary>What the player reads, up to 280 characters.</summary>
        public string Description { get; set; }

        /// <summary>Seconds after which the request expires, from 60 to 86,400. The operator's setting by default.</summary>
        public long? ExpiresInSeconds { get; set; }

        /// <summary>
        /// Your own key, such as an order's id: the same key is one payment, also after a restart. A new one by default. The service keeps
        /// it for 24 hours.
        /// </summary>
        public string IdempotencyKey { get; set; }

        /// <summary>How long to wait for the player. After that the result is <see cref="PaymentOutcome.Pending"/>.</summary>
        public TimeSpan Patience { get; set; } = TimeSpan.FromMinutes(15);

        /// <summary>Pays within the player's spending limit first, and opens the page only if that is refused.</summary>
        public bool TrySpendingLimit { get; set; }
    }
}
