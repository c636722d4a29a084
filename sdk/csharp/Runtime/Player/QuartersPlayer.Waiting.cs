using System;
using System.Threading;
using System.Threading.Tasks;

namespace Quarters
{
    public sealed partial class QuartersPlayer
    {
        private static readonly TimeSpan FirstReading = TimeSpan.FromSeconds(2);
        private static readonly TimeSpan SlowestReading = TimeSpan.FromSeconds(10);

        /// <summary>
        /// Reads the request until it is decided: every few seconds, and at once when the page answers. What the page answers is not
        /// believed, because any app and any page can make such an address.
        /// </summary>
        /// <param name="page">The open page. Null once it has answered.</param>
        private async Task<PaymentResult> DecidedAsync(
            PendingDeed deed, Task<string> page, DateTimeOffset end, CancellationToken cancel)
        {
            RequestState request = null;
            string reason = null;
            var hasGivenUp = false;
            for (var pause = FirstReading; ; pause = Slower(pause))
            {
                try
                {
                    request = await RequestAsync(deed.RequestId, cancel);
                }
                catch (QuartersException error)
                {
                    // Offline, or a busy service. Anything else will not pass by waiting.
                    if (!(error is ConnectionException) && !RetryRules.IsPutOff(error)) throw;
                }
                var result = new PaymentResult(deed.RequestId, request, reason, deed);
                var left = end - DateTimeOffset.UtcNow;
                if (result.Outcome != PaymentOutcome.Pending || hasGivenUp || left <= TimeSpan.Zero) return result;
                if (!await AnswersWithinAsync(page, left < pause ? left : pause, cancel)) continue;
                var answer = await page;
                page = null;
                reason = ReasonIn(answer);
                hasGivenUp = reason != null;
                pause = FirstReading;
            }
        }

        private async Task<bool> AnswersWithinAsync(Task<string> page, TimeSpan time, CancellationToken cancel)
        {
            if (page != null && page.IsCompleted) return true;
            using (var pause = CancellationTokenSource.CreateLinkedTokenSource(cancel))
            {
                var passed = pipeline.Transport.DelayAsync(time, pause.Token);
                var first = page == null ? passed : await Task.WhenAny(page, passed);
                if (first == passed) await passed;
                pause.Cancel();
                return first == page;
            }
        }

        /// <summary>Why the page gave up; null if it says that there is a decision.</summary>
        private static string ReasonIn(string answer)
        {
            if (answer == null) return "closed";
            var query = Link.QueryOf(answer);
            if (!query.ContainsKey("error")) return null;
            string reason;
            return query.TryGetValue("reason", out reason) ? reason : "failed";
        }

        private static TimeSpan Slower(TimeSpan pause)
        {
            var slower = TimeSpan.FromMilliseconds(pause.TotalMilliseconds * 1.5);
            return slower < SlowestReading ? slower : SlowestReading;
        }
    }
}
