using System;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;

namespace Quarters
{
    public sealed partial class QuartersPlayer
    {
        /// <summary>A request lives for a day at most, and its player may come back late.</summary>
        private static readonly TimeSpan UnreadableFor = TimeSpan.FromDays(30);

        /// <summary>
        /// Asks the player for quarters: opens the approval page, and ends when the request is decided. It does not matter whether the page
        /// comes back by a link, by the browser script or not at all: the result is what the service says.
        /// </summary>
        /// <remarks>
        /// The payment is written to the <see cref="IPendingStore"/> first. A paid one stays there until <see cref="FinishAsync"/>, and
        /// <see cref="UnfinishedPaymentsAsync"/> finds it after a restart.
        /// </remarks>
        public async Task<PaymentResult> RequestPaymentAsync(
            long amount, PaymentOptions payment = null, CancellationToken cancel = default(CancellationToken))
        {
            payment = payment ?? new PaymentOptions();
            AssertHasPages();
            var end = DateTimeOffset.UtcNow + payment.Patience;
            var call = Asking(amount, payment);
            var deed = await deeds.BeginAsync(call);
            var isNew = deed.RequestId == null;
            if (isNew) await AskAsync(deed, call, cancel);
            var isOver = payment.TrySpendingLimit && await IsApprovedAsync(deed.RequestId, cancel);
            return await OpenAsync(deed, isOver || !isNew, end, cancel);
        }

        /// <summary>Opens the page of a pending payment again, and ends as <see cref="RequestPaymentAsync"/> does.</summary>
        /// <param name="payment">One of <see cref="UnfinishedPaymentsAsync"/>, or one that the player has left open.</param>
        /// <param name="patience">15 minutes by default.</param>
        public Task<PaymentResult> ContinuePaymentAsync(
            PaymentResult payment, TimeSpan? patience = null, CancellationToken cancel = default(CancellationToken))
        {
            var end = DateTimeOffset.UtcNow + (patience ?? new PaymentOptions().Patience);
            return OpenAsync(payment.Deed, true, end, cancel);
        }

        /// <summary>
        /// Payments that the game was not told the end of, because it was killed or stopped waiting. Call it at each start, once the player
        /// is known. Give what was paid for, and then call <see cref="FinishAsync"/>. A pending one can still be
        /// approved: <see cref="ContinuePaymentAsync"/>.
        /// </summary>
        public async Task<IReadOnlyList<PaymentResult>> UnfinishedPaymentsAsync(CancellationToken cancel = default(CancellationToken))
        {
            var results = new List<PaymentResult>();
            foreach (var deed in await options.PendingStore.ListAsync())
            {
                try
                {
                    if (deed.RequestId == null && !await AskAgainAsync(deed, cancel)) continue;
                    var request = await RequestAsync(deed.RequestId, cancel);
                    results.Add(await KeptAsync(new PaymentResult(deed.RequestId, request, null, deed)));
                }
                catch (NotFoundException)
                {
                    // Another player's, who may return.
                    if (DateTimeOffset.UtcNow - deed.Begun > UnreadableFor) await options.PendingStore.RemoveAsync(deed);
                }
            }
            return results;
        }

        /// <summary>
        /// Says that what was paid for has been given, or that your server knows the payment and gives it. Until then each start of the
        /// game finds the payment again.
        /// </summary>
        public Task FinishAsync(PaymentResult payment)
        {
            return options.PendingStore.RemoveAsync(payment.Deed);
        }

        private Call Asking(long amount, PaymentOptions payment)
        {
            var body = new NewRequest
            {
                Tokens = amount,
                AppId = options.AppId,
                Description = payment.Description,
                ExpiresIn = payment.ExpiresInSeconds,
            };
            return Call.Deed("/v1/requests", body.ToJson(), payment.IdempotencyKey);
        }

        private Task<TransferRequest> AskAsync(Call call, CancellationToken cancel)
        {
            return CallAsync(call, json => new TransferRequest(Json.ObjectIn(json)), cancel);
        }

        private async Task AskAsync(PendingDeed deed, Call call, CancellationToken cancel)
        {
            deed.RequestId = (await deeds.SettleAsync(deed, () => AskAsync(call, cancel))).Id;
            await options.PendingStore.SaveAsync(deed);
        }

        private async Task<bool> AskAgainAsync(PendingDeed deed, CancellationToken cancel)
        {
            if (!deed.CanBeRepeated || !deed.CanBeSent)
            {
                // The page was never opened, so there is nothing to find, and by now the same key would ask once more, or can be no header.
                await options.PendingStore.RemoveAsync(deed);
                return false;
            }
            try
            {
                await AskAsync(deed, deed.ToCall(), cancel);
                return true;
            }
            catch (ProblemException)
            {
                return false;
            }
        }

        /// <summary>Opens the page of a request, and waits until it is decided or the time is over.</summary>
        /// <param name="mayBeDecided">Then the page is opened only if the request is still pending.</param>
        private async Task<PaymentResult> OpenAsync(
            PendingDeed deed, bool mayBeDecided, DateTimeOffset end, CancellationToken cancel)
        {
            AssertHasPages();
            if (mayBeDecided)
            {
                var before = new PaymentResult(deed.RequestId, await RequestAsync(deed.RequestId, cancel), null, deed);
                if (before.Outcome != PaymentOutcome.Pending) return await KeptAsync(before);
            }
            using (var page = CancellationTokenSource.CreateLinkedTokenSource(cancel))
            {
                try
                {
                    var answer = options.Pages.OpenAsync(ApprovalPageOf(deed.RequestId, await TokensAsync()), page.Token);
                    return await KeptAsync(await DecidedAsync(deed, answer, end, cancel));
                }
                finally
                {
                    // A page that is still open has nothing to decide.
                    page.Cancel();
                }
            }
        }

        /// <summary>Whether the request may be approved now. Reading it says so.</summary>
        private async Task<bool> IsApprovedAsync(string requestId, CancellationToken cancel)
        {
            try
            {
                await AutoApproveAsync(requestId, null, cancel);
                return true;
            }
            catch (QuartersException error)
            {
                // Whatever the refusal was: the page asks.
                return error is OutcomeUnknownException;
            }
        }

        /// <summary>A payment that can no longer be paid is done with. One that is paid is kept until the game has given the goods.</summary>
        private async Task<PaymentResult> KeptAsync(PaymentResult result)
        {
            if (!result.IsPaid && result.Outcome != PaymentOutcome.Pending) await options.PendingStore.RemoveAsync(result.Deed);
            return result;
        }

        private PlayerPage ApprovalPageOf(string requestId, PlayerTokens player)
        {
            var redirectUri = options.Pages.RedirectUri;
            var address = Link.With(
                (options.ApprovalUrl ?? options.Url).TrimEnd('/') + "/requests/" + Uri.EscapeDataString(requestId),
                "inline", "true",
                "firebase_token", player.PageToken,
                "redirect_uri", redirectUri,
                "client_id", options.AppId,
                "locale", options.Locale);
            var script = new Dictionary<string, string>
            {
                ["requestId"] = requestId,
                ["pageToken"] = player.PageToken,
                ["clientId"] = options.AppId,
                ["locale"] = options.Locale,
                ["approvalUrl"] = options.ApprovalUrl,
            };
            return new PlayerPage(PageKind.Approval, address, script, "requestId", requestId);
        }
    }
}
