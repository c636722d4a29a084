using System;
using System.Collections.Generic;

namespace Quarters
{
    /// <summary>Everything that the library throws, but for <see cref="OperationCanceledException"/> and wrong arguments.</summary>
    public abstract class QuartersException : Exception
    {
        /// <summary>For the exceptions of this library.</summary>
        protected QuartersException(string message, Exception inner, TimeSpan? retryAfter) : base(message, inner)
        {
            RetryAfter = retryAfter;
        }

        /// <summary>How long to wait before the next try. Null if the service did not say.</summary>
        public TimeSpan? RetryAfter { get; }
    }

    /// <summary>
    /// The service refused, and this call did nothing. Each code of the service has a class of its own, such as
    /// <see cref="InsufficientQuartersException"/>. A code that this version does not know is a plain <see cref="ProblemException"/>.
    /// </summary>
    public class ProblemException : QuartersException
    {
        internal ProblemException(Refusal refusal) : base(refusal.Message, null, refusal.RetryAfter)
        {
            Code = refusal.Code;
            Status = refusal.Status;
            Faults = refusal.Faults;
        }

        /// <summary>A constant of <see cref="ProblemCode"/>. After a sign-in it may be an error of OAuth, such as <c>invalid_grant</c>.</summary>
        public string Code { get; }

        /// <summary>The HTTP status.</summary>
        public int Status { get; }

        /// <summary>For <c>invalid-input</c>: what is wrong and where. Otherwise empty.</summary>
        public IReadOnlyList<InputFault> Faults { get; }
    }

    /// <summary>
    /// The service did not answer: no network, a time limit, or a gateway in between. A call that only reads had no effect.
    /// </summary>
    public class ConnectionException : QuartersException
    {
        internal ConnectionException(string message, Exception inner, TimeSpan? retryAfter) : base(message, inner, retryAfter) { }
    }

    /// <summary>
    /// It is not known whether the call was done. Repeat it with the same <see cref="IdempotencyKey"/>: with a new key it may be done
    /// twice. The deed is still in the <see cref="IPendingStore"/>.
    /// </summary>
    public sealed class OutcomeUnknownException : ConnectionException
    {
        internal OutcomeUnknownException(string message, string idempotencyKey, QuartersException last)
            : this(message, idempotencyKey, last, last.RetryAfter) { }

        internal OutcomeUnknownException(string message, string idempotencyKey, Exception cause, TimeSpan? retryAfter)
            : base(message, cause, retryAfter)
        {
            IdempotencyKey = idempotencyKey;
        }

        /// <summary>The key to repeat the call with.</summary>
        public string IdempotencyKey { get; }
    }

    /// <summary>A webhook or the result of a sign-in is not genuine.</summary>
    public sealed class VerificationException : QuartersException
    {
        internal VerificationException(string message) : base(message, null, null) { }
    }

    /// <summary>What the service said when it refused.</summary>
    internal sealed class Refusal
    {
        internal string Code;
        internal int Status;
        internal string Message;
        internal TimeSpan? RetryAfter;
        internal IReadOnlyList<InputFault> Faults = new InputFault[0];
    }
}
