using System;

namespace Quarters
{
    /// <summary>When a call is repeated, and what its last answer says. The same rules and numbers as in the TypeScript library.</summary>
    internal static class RetryRules
    {
        internal const int Retries = 3;
        internal const int TimeLimitMs = 10000;
        internal const int FirstPauseMs = 200;
        internal const int LongestPauseMs = 10000;

        /// <summary>
        /// The service accepts a used refresh token again for 30 seconds. After that it treats reuse as theft, so no retry starts later than
        /// this, which leaves it time to arrive.
        /// </summary>
        internal const int RefreshTriesMs = 25000;

        /// <summary>The caller is checked before the idempotency key is looked up, so these say nothing about an earlier try.</summary>
        private static readonly string[] JudgedBeforeTheKey =
        {
            ProblemCode.TokenMissing,
            ProblemCode.TokenInvalid,
            ProblemCode.TokenExpired,
            ProblemCode.CredentialNotAllowed,
            ProblemCode.InsufficientScope,
        };

        private static readonly Random Random = new Random();

        /// <summary>A refusal that says when to retry is retried too: no refusal is stored under an idempotency key.</summary>
        internal static bool IsWorthAnotherTry(QuartersException error)
        {
            var mayChange = error is ConnectionException || IsPutOff(error) || error.RetryAfter != null;
            // A limit that ends at midnight is left to the caller.
            return mayChange && (error.RetryAfter ?? TimeSpan.Zero).TotalMilliseconds <= LongestPauseMs;
        }

        /// <summary>A refusal that does not settle an earlier try: the service is busy, or does not accept the caller.</summary>
        internal static bool SaysNothingOfBefore(QuartersException error)
        {
            var problem = error as ProblemException;
            return IsPutOff(error) || (problem != null && Array.IndexOf(JudgedBeforeTheKey, problem.Code) >= 0);
        }

        /// <summary>
        /// Whether the call may have taken effect despite this error. After a fault of the service, even an unknown one, it may have,
        /// unless the code means that nothing was done. OAuth's errors come from calls that move nothing.
        /// </summary>
        internal static bool LeavesUnsure(Call call, QuartersException error)
        {
            if (call.Method == "GET") return false;
            var problem = error as ProblemException;
            if (problem == null) return true;
            return problem.Status >= 500 && !ProblemCode.MeansNothingWasDecided(problem.Code) && !call.IsOAuth;
        }

        /// <summary>
        /// Random, so that callers who were refused together do not retry together, not even those who were told the same whole second.
        /// </summary>
        internal static TimeSpan PauseAfter(int tries, QuartersException error)
        {
            double random;
            lock (Random) random = Random.NextDouble();
            var growing = Math.Min(FirstPauseMs * Math.Pow(2, tries) * (0.5 + random), LongestPauseMs);
            var asked = (error.RetryAfter ?? TimeSpan.Zero).TotalMilliseconds;
            return TimeSpan.FromMilliseconds(asked > 0 ? Math.Max(growing, asked + random * 1000) : growing);
        }

        /// <summary>A busy service, a fault or too many calls: the call was not answered.</summary>
        internal static bool IsPutOff(QuartersException error)
        {
            var problem = error as ProblemException;
            return problem != null && (problem.Status >= 500 || problem.Status == 429 || problem.Status == 408);
        }
    }
}
