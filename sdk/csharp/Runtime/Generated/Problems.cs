// Written by scripts/write-csharp-types.ts: run npm run generate.
using System;

namespace Quarters
{
    /// <summary>The codes of refusals, as far as this version knows.</summary>
    public static class ProblemCode
    {
        /// <summary>The input is not valid.</summary>
        public const string InvalidInput = "invalid-input";

        /// <summary>The body is not JSON.</summary>
        public const string MalformedJson = "malformed-json";

        /// <summary>User and address name different accounts.</summary>
        public const string RecipientMismatch = "recipient-mismatch";

        /// <summary>The amount is above the limit of this service.</summary>
        public const string AmountTooLarge = "amount-too-large";

        /// <summary>A credential is missing.</summary>
        public const string TokenMissing = "token-missing";

        /// <summary>The credential is not valid.</summary>
        public const string TokenInvalid = "token-invalid";

        /// <summary>The credential has expired.</summary>
        public const string TokenExpired = "token-expired";

        /// <summary>Not enough quarters.</summary>
        public const string InsufficientQuarters = "insufficient-quarters";

        /// <summary>This kind of credential cannot be used here.</summary>
        public const string CredentialNotAllowed = "credential-not-allowed";

        /// <summary>The credential lacks a scope for this.</summary>
        public const string InsufficientScope = "insufficient-scope";

        /// <summary>The server API key's daily limit is reached.</summary>
        public const string KeyLimit = "key-limit";

        /// <summary>Your role in the app does not allow this.</summary>
        public const string RoleNotAllowed = "role-not-allowed";

        /// <summary>The credential belongs to another app.</summary>
        public const string AppMismatch = "app-mismatch";

        /// <summary>The player must confirm who they are.</summary>
        public const string ConfirmationNeeded = "confirmation-needed";

        /// <summary>The app is not enabled for auto approval.</summary>
        public const string AutoApproveNotEnabled = "auto-approve-not-enabled";

        /// <summary>The user has set no spending limit for this app.</summary>
        public const string AutoApproveNotGranted = "auto-approve-not-granted";

        /// <summary>The amount is above the user's spending limit.</summary>
        public const string AutoApproveLimit = "auto-approve-limit";

        /// <summary>The account is frozen.</summary>
        public const string AccountFrozen = "account-frozen";

        /// <summary>The app is suspended.</summary>
        public const string AppSuspended = "app-suspended";

        /// <summary>Not found.</summary>
        public const string NotFound = "not-found";

        /// <summary>The method is not allowed.</summary>
        public const string MethodNotAllowed = "method-not-allowed";

        /// <summary>The request took too long to arrive.</summary>
        public const string RequestTimeout = "request-timeout";

        /// <summary>The request is already decided.</summary>
        public const string RequestDecided = "request-decided";

        /// <summary>There is no payment to refund.</summary>
        public const string NotRefundable = "not-refundable";

        /// <summary>The quarters are being confirmed again.</summary>
        public const string QuartersUnconfirmed = "quarters-unconfirmed";

        /// <summary>The refund is more than what is left of the payment.</summary>
        public const string RefundTooLarge = "refund-too-large";

        /// <summary>The account is closed.</summary>
        public const string AccountClosed = "account-closed";

        /// <summary>The maximum number is reached.</summary>
        public const string LimitReached = "limit-reached";

        /// <summary>Payments of that time are archived.</summary>
        public const string Archived = "archived";

        /// <summary>The body is too large.</summary>
        public const string BodyTooLarge = "body-too-large";

        /// <summary>The Idempotency-Key was used with another body.</summary>
        public const string IdempotencyMismatch = "idempotency-mismatch";

        /// <summary>The address or the headers are too large.</summary>
        public const string HeadersTooLarge = "headers-too-large";

        /// <summary>Too many calls.</summary>
        public const string RateLimited = "rate-limited";

        /// <summary>Too many attempts.</summary>
        public const string TooManyTries = "too-many-tries";

        /// <summary>The app has reached its guest limit for today.</summary>
        public const string GuestLimit = "guest-limit";

        /// <summary>The app has too many pending transfers.</summary>
        public const string AppBacklogFull = "app-backlog-full";

        /// <summary>The content type is not supported.</summary>
        public const string UnsupportedMediaType = "unsupported-media-type";

        /// <summary>Something went wrong on our side.</summary>
        public const string Internal = "internal";

        /// <summary>We cannot tell yet whether this was done.</summary>
        public const string OutcomeUnknown = "outcome-unknown";

        /// <summary>The service is busy.</summary>
        public const string Overloaded = "overloaded";

        /// <summary>Payments are suspended for now.</summary>
        public const string PaymentsSuspended = "payments-suspended";

        /// <summary>The chain cannot be reached.</summary>
        public const string ChainUnavailable = "chain-unavailable";

        /// <summary>The database is not available.</summary>
        public const string DatabaseUnavailable = "database-unavailable";

        /// <summary>Whether a fault (5xx) with this code has certainly moved no quarters.</summary>
        internal static bool MeansNothingWasDecided(string code)
        {
            return code == Overloaded || code == PaymentsSuspended || code == DatabaseUnavailable;
        }
    }

    /// <summary>The input is not valid (400 <c>invalid-input</c>).</summary>
    public sealed class InvalidInputException : ProblemException
    {
        internal InvalidInputException(Refusal refusal) : base(refusal) { }
    }

    /// <summary>The body is not JSON (400 <c>malformed-json</c>).</summary>
    public sealed class MalformedJsonException : ProblemException
    {
        internal MalformedJsonException(Refusal refusal) : base(refusal) { }
    }

    /// <summary>User and address name different accounts (400 <c>recipient-mismatch</c>).</summary>
    public sealed class RecipientMismatchException : ProblemException
    {
        internal RecipientMismatchException(Refusal refusal) : base(refusal) { }
    }

    /// <summary>The amount is above the limit of this service (400 <c>amount-too-large</c>).</summary>
    public sealed class AmountTooLargeException : ProblemException
    {
        internal AmountTooLargeException(Refusal refusal) : base(refusal) { }
    }

    /// <summary>A credential is missing (401 <c>token-missing</c>).</summary>
    public sealed class TokenMissingException : ProblemException
    {
        internal TokenMissingException(Refusal refusal) : base(refusal) { }
    }

    /// <summary>The credential is not valid (401 <c>token-invalid</c>).</summary>
    public sealed class TokenInvalidException : ProblemException
    {
        internal TokenInvalidException(Refusal refusal) : base(refusal) { }
    }

    /// <summary>The credential has expired (401 <c>token-expired</c>).</summary>
    public sealed class TokenExpiredException : ProblemException
    {
        internal TokenExpiredException(Refusal refusal) : base(refusal) { }
    }

    /// <summary>Not enough quarters (402 <c>insufficient-quarters</c>).</summary>
    public sealed class InsufficientQuartersException : ProblemException
    {
        internal InsufficientQuartersException(Refusal refusal) : base(refusal) { }
    }

    /// <summary>This kind of credential cannot be used here (403 <c>credential-not-allowed</c>).</summary>
    public sealed class CredentialNotAllowedException : ProblemException
    {
        internal CredentialNotAllowedException(Refusal refusal) : base(refusal) { }
    }

    /// <summary>The credential lacks a scope for this (403 <c>insufficient-scope</c>).</summary>
    public sealed class InsufficientScopeException : ProblemException
    {
        internal InsufficientScopeException(Refusal refusal) : base(refusal) { }
    }

    /// <summary>The server API key's daily limit is reached (403 <c>key-limit</c>).</summary>
    public sealed class KeyLimitException : ProblemException
    {
        internal KeyLimitException(Refusal refusal) : base(refusal) { }
    }

    /// <summary>Your role in the app does not allow this (403 <c>role-not-allowed</c>).</summary>
    public sealed class RoleNotAllowedException : ProblemException
    {
        internal RoleNotAllowedException(Refusal refusal) : base(refusal) { }
    }

    /// <summary>The credential belongs to another app (403 <c>app-mismatch</c>).</summary>
    public sealed class AppMismatchException : ProblemException
    {
        internal AppMismatchException(Refusal refusal) : base(refusal) { }
    }

    /// <summary>The player must confirm who they are (403 <c>confirmation-needed</c>).</summary>
    public sealed class ConfirmationNeededException : ProblemException
    {
        internal ConfirmationNeededException(Refusal refusal) : base(refusal) { }
    }

    /// <summary>The app is not enabled for auto approval (403 <c>auto-approve-not-enabled</c>).</summary>
    public sealed class AutoApproveNotEnabledException : ProblemException
    {
        internal AutoApproveNotEnabledException(Refusal refusal) : base(refusal) { }
    }

    /// <summary>The user has set no spending limit for this app (403 <c>auto-approve-not-granted</c>).</summary>
    public sealed class AutoApproveNotGrantedException : ProblemException
    {
        internal AutoApproveNotGrantedException(Refusal refusal) : base(refusal) { }
    }

    /// <summary>The amount is above the user's spending limit (403 <c>auto-approve-limit</c>).</summary>
    public sealed class AutoApproveLimitException : ProblemException
    {
        internal AutoApproveLimitException(Refusal refusal) : base(refusal) { }
    }

    /// <summary>The account is frozen (403 <c>account-frozen</c>).</summary>
    public sealed class AccountFrozenException : ProblemException
    {
        internal AccountFrozenException(Refusal refusal) : base(refusal) { }
    }

    /// <summary>The app is suspended (403 <c>app-suspended</c>).</summary>
    public sealed class AppSuspendedException : ProblemException
    {
        internal AppSuspendedException(Refusal refusal) : base(refusal) { }
    }

    /// <summary>Not found (404 <c>not-found</c>).</summary>
    public sealed class NotFoundException : ProblemException
    {
        internal NotFoundException(Refusal refusal) : base(refusal) { }
    }

    /// <summary>The method is not allowed (405 <c>method-not-allowed</c>).</summary>
    public sealed class MethodNotAllowedException : ProblemException
    {
        internal MethodNotAllowedException(Refusal refusal) : base(refusal) { }
    }

    /// <summary>The request took too long to arrive (408 <c>request-timeout</c>).</summary>
    public sealed class RequestTimeoutException : ProblemException
    {
        internal RequestTimeoutException(Refusal refusal) : base(refusal) { }
    }

    /// <summary>The request is already decided (409 <c>request-decided</c>).</summary>
    public sealed class RequestDecidedException : ProblemException
    {
        internal RequestDecidedException(Refusal refusal) : base(refusal) { }
    }

    /// <summary>There is no payment to refund (409 <c>not-refundable</c>).</summary>
    public sealed class NotRefundableException : ProblemException
    {
        internal NotRefundableException(Refusal refusal) : base(refusal) { }
    }

    /// <summary>The quarters are being confirmed again (409 <c>quarters-unconfirmed</c>).</summary>
    public sealed class QuartersUnconfirmedException : ProblemException
    {
        internal QuartersUnconfirmedException(Refusal refusal) : base(refusal) { }
    }

    /// <summary>The refund is more than what is left of the payment (409 <c>refund-too-large</c>).</summary>
    public sealed class RefundTooLargeException : ProblemException
    {
        internal RefundTooLargeException(Refusal refusal) : base(refusal) { }
    }

    /// <summary>The account is closed (409 <c>account-closed</c>).</summary>
    public sealed class AccountClosedException : ProblemException
    {
        internal AccountClosedException(Refusal refusal) : base(refusal) { }
    }

    /// <summary>The maximum number is reached (409 <c>limit-reached</c>).</summary>
    public sealed class LimitReachedException : ProblemException
    {
        internal LimitReachedException(Refusal refusal) : base(refusal) { }
    }

    /// <summary>Payments of that time are archived (410 <c>archived</c>).</summary>
    public sealed class ArchivedException : ProblemException
    {
        internal ArchivedException(Refusal refusal) : base(refusal) { }
    }

    /// <summary>The body is too large (413 <c>body-too-large</c>).</summary>
    public sealed class BodyTooLargeException : ProblemException
    {
        internal BodyTooLargeException(Refusal refusal) : base(refusal) { }
    }

    /// <summary>The Idempotency-Key was used with another body (422 <c>idempotency-mismatch</c>).</summary>
    public sealed class IdempotencyMismatchException : ProblemException
    {
        internal IdempotencyMismatchException(Refusal refusal) : base(refusal) { }
    }

    /// <summary>The address or the headers are too large (431 <c>headers-too-large</c>).</summary>
    public sealed class HeadersTooLargeException : ProblemException
    {
        internal HeadersTooLargeException(Refusal refusal) : base(refusal) { }
    }

    /// <summary>Too many calls (429 <c>rate-limited</c>).</summary>
    public sealed class RateLimitedException : ProblemException
    {
        internal RateLimitedException(Refusal refusal) : base(refusal) { }
    }

    /// <summary>Too many attempts (429 <c>too-many-tries</c>).</summary>
    public sealed class TooManyTriesException : ProblemException
    {
        internal TooManyTriesException(Refusal refusal) : base(refusal) { }
    }

    /// <summary>The app has reached its guest limit for today (429 <c>guest-limit</c>).</summary>
    public sealed class GuestLimitException : ProblemException
    {
        internal GuestLimitException(Refusal refusal) : base(refusal) { }
    }

    /// <summary>The app has too many pending transfers (429 <c>app-backlog-full</c>).</summary>
    public sealed class AppBacklogFullException : ProblemException
    {
        internal AppBacklogFullException(Refusal refusal) : base(refusal) { }
    }

    /// <summary>The content type is not supported (415 <c>unsupported-media-type</c>).</summary>
    public sealed class UnsupportedMediaTypeException : ProblemException
    {
        internal UnsupportedMediaTypeException(Refusal refusal) : base(refusal) { }
    }

    /// <summary>Something went wrong on our side (500 <c>internal</c>).</summary>
    public sealed class InternalException : ProblemException
    {
        internal InternalException(Refusal refusal) : base(refusal) { }
    }

    /// <summary>The service is busy (503 <c>overloaded</c>).</summary>
    public sealed class OverloadedException : ProblemException
    {
        internal OverloadedException(Refusal refusal) : base(refusal) { }
    }

    /// <summary>Payments are suspended for now (503 <c>payments-suspended</c>).</summary>
    public sealed class PaymentsSuspendedException : ProblemException
    {
        internal PaymentsSuspendedException(Refusal refusal) : base(refusal) { }
    }

    /// <summary>The chain cannot be reached (503 <c>chain-unavailable</c>).</summary>
    public sealed class ChainUnavailableException : ProblemException
    {
        internal ChainUnavailableException(Refusal refusal) : base(refusal) { }
    }

    /// <summary>The database is not available (503 <c>database-unavailable</c>).</summary>
    public sealed class DatabaseUnavailableException : ProblemException
    {
        internal DatabaseUnavailableException(Refusal refusal) : base(refusal) { }
    }

    internal static class Problems
    {
        internal static ProblemException ExceptionOf(Refusal refusal)
        {
            switch (refusal.Code)
            {
                case ProblemCode.InvalidInput: return new InvalidInputException(refusal);
                case ProblemCode.MalformedJson: return new MalformedJsonException(refusal);
                case ProblemCode.RecipientMismatch: return new RecipientMismatchException(refusal);
                case ProblemCode.AmountTooLarge: return new AmountTooLargeException(refusal);
                case ProblemCode.TokenMissing: return new TokenMissingException(refusal);
                case ProblemCode.TokenInvalid: return new TokenInvalidException(refusal);
                case ProblemCode.TokenExpired: return new TokenExpiredException(refusal);
                case ProblemCode.InsufficientQuarters: return new InsufficientQuartersException(refusal);
                case ProblemCode.CredentialNotAllowed: return new CredentialNotAllowedException(refusal);
                case ProblemCode.InsufficientScope: return new InsufficientScopeException(refusal);
                case ProblemCode.KeyLimit: return new KeyLimitException(refusal);
                case ProblemCode.RoleNotAllowed: return new RoleNotAllowedException(refusal);
                case ProblemCode.AppMismatch: return new AppMismatchException(refusal);
                case ProblemCode.ConfirmationNeeded: return new ConfirmationNeededException(refusal);
                case ProblemCode.AutoApproveNotEnabled: return new AutoApproveNotEnabledException(refusal);
                case ProblemCode.AutoApproveNotGranted: return new AutoApproveNotGrantedException(refusal);
                case ProblemCode.AutoApproveLimit: return new AutoApproveLimitException(refusal);
                case ProblemCode.AccountFrozen: return new AccountFrozenException(refusal);
                case ProblemCode.AppSuspended: return new AppSuspendedException(refusal);
                case ProblemCode.NotFound: return new NotFoundException(refusal);
                case ProblemCode.MethodNotAllowed: return new MethodNotAllowedException(refusal);
                case ProblemCode.RequestTimeout: return new RequestTimeoutException(refusal);
                case ProblemCode.RequestDecided: return new RequestDecidedException(refusal);
                case ProblemCode.NotRefundable: return new NotRefundableException(refusal);
                case ProblemCode.QuartersUnconfirmed: return new QuartersUnconfirmedException(refusal);
                case ProblemCode.RefundTooLarge: return new RefundTooLargeException(refusal);
                case ProblemCode.AccountClosed: return new AccountClosedException(refusal);
                case ProblemCode.LimitReached: return new LimitReachedException(refusal);
                case ProblemCode.Archived: return new ArchivedException(refusal);
                case ProblemCode.BodyTooLarge: return new BodyTooLargeException(refusal);
                case ProblemCode.IdempotencyMismatch: return new IdempotencyMismatchException(refusal);
                case ProblemCode.HeadersTooLarge: return new HeadersTooLargeException(refusal);
                case ProblemCode.RateLimited: return new RateLimitedException(refusal);
                case ProblemCode.TooManyTries: return new TooManyTriesException(refusal);
                case ProblemCode.GuestLimit: return new GuestLimitException(refusal);
                case ProblemCode.AppBacklogFull: return new AppBacklogFullException(refusal);
                case ProblemCode.UnsupportedMediaType: return new UnsupportedMediaTypeException(refusal);
                case ProblemCode.Internal: return new InternalException(refusal);
                case ProblemCode.Overloaded: return new OverloadedException(refusal);
                case ProblemCode.PaymentsSuspended: return new PaymentsSuspendedException(refusal);
                case ProblemCode.ChainUnavailable: return new ChainUnavailableException(refusal);
                case ProblemCode.DatabaseUnavailable: return new DatabaseUnavailableException(refusal);
                default: return new ProblemException(refusal);
            }
        }
    }
}
