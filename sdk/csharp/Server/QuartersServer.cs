using System;
using System.Collections.Generic;
using System.Globalization;
using System.Threading;
using System.Threading.Tasks;
using Newtonsoft.Json.Linq;

namespace Quarters.Server
{
    /// <summary>
    /// The service for a game's server: ASP.NET, or a dedicated server of Unity. All amounts are whole numbers of quarters. One instance
    /// serves all threads.
    /// </summary>
    /// <remarks>
    /// Every call throws a <see cref="ProblemException"/> if the service refuses, and a <see cref="ConnectionException"/> if it does not
    /// answer. Safe retries have been made by then. After an <see cref="OutcomeUnknownException"/> repeat the call with the same key.
    /// </remarks>
    public sealed partial class QuartersServer
    {
        private readonly ServerOptions options;
        private readonly Pipeline pipeline;
        private readonly Pipeline guests;
        private readonly OAuthCalls oauth;
        private readonly Deeds deeds;

        /// <summary>Makes no call yet. Throws <see cref="ArgumentException"/> if the key is missing or cannot be sent.</summary>
        public QuartersServer(ServerOptions options)
        {
            this.options = options;
            ClientOptions.Needed(options.ServerKey, nameof(options.ServerKey));
            HeaderValue.Credential(options.ServerKey);
            pipeline = options.PipelineTo(options.ApiUrl);
            guests = options.GuestsUrl == null ? pipeline : options.PipelineTo(options.GuestsUrl);
            oauth = new OAuthCalls(pipeline, options.AppId, options.ClientSecret);
            deeds = new Deeds(options.PendingStore, false);
        }

        /// <summary>Creates a guest of the app. Store its tokens with your player.</summary>
        /// <param name="idempotencyKey">Your own, if the guest must be made once even if your server restarts in between.</param>
        public Task<Guest> CreateGuestAsync(string idempotencyKey = null, CancellationToken cancel = default(CancellationToken))
        {
            return DoAsync(Call.Deed(NewGuestPath, null, idempotencyKey), GuestIn, cancel);
        }

        /// <summary>Creates new tokens for a guest of the app. The key needs the scope <c>guest-tokens</c>.</summary>
        public Task<Guest> CreateGuestTokensAsync(
            string userId, string idempotencyKey = null, CancellationToken cancel = default(CancellationToken))
        {
            var path = "/v1/guests/" + Call.Segment(userId, nameof(userId)) + "/tokens";
            return DoAsync(Call.Deed(path, null, idempotencyKey), GuestIn, cancel);
        }

        /// <summary>
        /// Asks a player for quarters: a guest of the app, or a player who gave it the scope <c>requests</c>. The player decides on the
        /// approval page. The key needs the scope <c>create-requests</c>.
        /// </summary>
        public Task<TransferRequest> AskAsync(
            NewRequest request, string idempotencyKey = null, CancellationToken cancel = default(CancellationToken))
        {
            var body = request.ToJson();
            body["appId"] = request.AppId ?? ClientOptions.Needed(options.AppId, nameof(options.AppId));
            return DoAsync(Call.Deed("/v1/requests", body, idempotencyKey), json => new TransferRequest(Json.ObjectIn(json)), cancel);
        }

        /// <summary>
        /// Approves a pending request within the player's spending limit. The key needs the scope <c>approve-requests</c>. If it is refused
        /// with status 402, 403 or 409, the request stays pending and the player can still approve it on the page.
        /// </summary>
        public Task<TransferOutcome> AutoApproveAsync(
            string requestId,
            string userId,
            string idempotencyKey = null,
            int? waitSeconds = null,
            CancellationToken cancel = default(CancellationToken))
        {
            var body = new AutoApproval { ClientId = ClientOptions.Needed(options.AppId, nameof(options.AppId)), UserId = userId };
            var path = RequestPath(requestId) + "/autoApprove";
            return DoAsync(Call.Deed(path, body.ToJson(), idempotencyKey, waitSeconds), OutcomeIn, cancel);
        }

        /// <summary>Pays a player from the app's own account.</summary>
        /// <param name="idempotencyKey">Such as an order's id. Without one, a restart in between may pay again.</param>
        /// <param name="waitSeconds">The longest time to wait for the chain. Without it, the call returns once the payment is irrevocable.</param>
        public Task<TransferOutcome> PayAsync(
            NewTransfer payment,
            string idempotencyKey = null,
            int? waitSeconds = null,
            CancellationToken cancel = default(CancellationToken))
        {
            return DoAsync(Call.Deed(AccountPath() + "/transfer", payment.ToJson(), idempotencyKey, waitSeconds), OutcomeIn, cancel);
        }

        /// <summary>
        /// Pays up to a thousand players, each on its own. The outcomes are in order, each with a <c>TxId</c> or an <c>Error</c>. Another
        /// call with the same key pays only those that failed.
        /// </summary>
        public Task<IReadOnlyList<TransferLine>> PayManyAsync(
            IReadOnlyList<NewTransferLine> payments, string idempotencyKey = null, CancellationToken cancel = default(CancellationToken))
        {
            var body = new NewTransfers { Transfers = payments };
            var call = Call.Deed(AccountPath() + "/transfers", body.ToJson(), idempotencyKey);
            return DoAsync(call, json => new TransferLines(Json.ObjectIn(json)).Transfers, cancel);
        }

        /// <summary>Refunds a completed payment, or a part of it. All refunds together cannot exceed the payment.</summary>
        /// <param name="amount">Null for all that is left.</param>
        public Task<RefundOutcome> RefundAsync(
            string requestId, long? amount = null, string idempotencyKey = null, CancellationToken cancel = default(CancellationToken))
        {
            var body = new NewRefund { Amount = amount };
            var call = Call.Deed(RequestPath(requestId) + "/refunds", body.ToJson(), idempotencyKey);
            return DoAsync(call, json => new RefundOutcome(Json.ObjectIn(json)), cancel);
        }

        /// <summary>Cancels a pending request.</summary>
        public Task<RequestState> CancelAsync(
            string requestId, string idempotencyKey = null, CancellationToken cancel = default(CancellationToken))
        {
            return DoAsync(Call.Deed(RequestPath(requestId) + "/cancel", null, idempotencyKey), StateIn, cancel);
        }

        /// <summary>The app's available balance.</summary>
        public Task<Balance> BalanceAsync(CancellationToken cancel = default(CancellationToken))
        {
            return CallAsync(Call.Get(AccountPath() + "/balance"), json => Json.OnlyOf(json, item => new Balance(item)), cancel);
        }

        /// <summary>
        /// The real status of a request, whatever a player's device says. It is paid if the status is <c>approved</c>, <c>submitted</c> or
        /// <c>completed</c>. Check the amount and the user too, and give the goods of each request once.
        /// </summary>
        public Task<RequestState> RequestAsync(string id, CancellationToken cancel = default(CancellationToken))
        {
            return CallAsync(Call.Get(RequestPath(id)), StateIn, cancel);
        }

        /// <summary>The app's requests, newest first.</summary>
        public Task<Page<RequestState>> RequestsAsync(
            ListFilter filter = null, string cursor = null, CancellationToken cancel = default(CancellationToken))
        {
            var query = (filter ?? new ListFilter()).ToQuery(cursor);
            return Page<RequestState>.ReadAsync(CallAsync, "/v1/requests", query, item => new RequestState(item), cancel);
        }

        /// <summary>The transfers of the app's account, newest first.</summary>
        public Task<Page<Transfer>> TransfersAsync(
            ListFilter filter = null, string cursor = null, CancellationToken cancel = default(CancellationToken))
        {
            var query = (filter ?? new ListFilter()).ToQuery(cursor);
            return Page<Transfer>.ReadAsync(CallAsync, "/v1/transfers", query, item => new Transfer(item), cancel);
        }

        /// <summary>
        /// The app's events of the last 30 days, oldest first. Keep the id of the last event you have handled, and continue from there.
        /// </summary>
        /// <param name="type">One <see cref="AppEventType"/>. Null for all.</param>
        /// <param name="cursor">The id of an event: those after it.</param>
        public Task<Page<AppEvent>> EventsAsync(
            string type = null, string cursor = null, CancellationToken cancel = default(CancellationToken))
        {
            var query = new Dictionary<string, string> { ["type"] = type, ["cursor"] = cursor };
            return Page<AppEvent>.ReadAsync(CallAsync, "/v1/events", query, item => new AppEvent(item), cancel);
        }

        /// <summary>Sends an event again, to all endpoints that receive its type.</summary>
        public Task<Redelivered> RedeliverAsync(
            string eventId, string idempotencyKey = null, CancellationToken cancel = default(CancellationToken))
        {
            var path = "/v1/events/" + Call.Segment(eventId, nameof(eventId)) + "/redeliver";
            return DoAsync(Call.Deed(path, null, idempotencyKey), json => new Redelivered(Json.ObjectIn(json)), cancel);
        }

        /// <summary>Adds an endpoint that receives events. Store its secret: it is shown only once.</summary>
        public Task<AddedWebhookEndpoint> AddWebhookEndpointAsync(
            NewWebhookEndpoint endpoint, string idempotencyKey = null, CancellationToken cancel = default(CancellationToken))
        {
            var call = Call.Deed("/v1/webhook-endpoints", endpoint.ToJson(), idempotencyKey);
            return DoAsync(call, json => new AddedWebhookEndpoint(Json.ObjectIn(json)), cancel);
        }

        /// <summary>Redeems the code of a sign-in or sign-up with the client secret, once, within 60 seconds.</summary>
        /// <param name="redirectUri">That of the sign-in. Null for the code of a guest's sign-up.</param>
        public Task<PlayerTokens> RedeemAsync(
            string code, string codeVerifier = null, string redirectUri = null, CancellationToken cancel = default(CancellationToken))
        {
            return oauth.RedeemAsync(code, codeVerifier, redirectUri, cancel);
        }

        /// <summary>Gets new tokens. Store them in place of the old ones, which work for 30 more seconds in case the answer is lost.</summary>
        public Task<PlayerTokens> RefreshAsync(string refreshToken, CancellationToken cancel = default(CancellationToken))
        {
            return oauth.RefreshAsync(refreshToken, cancel);
        }

        private string AccountPath()
        {
            return "/v1/accounts/" + Call.Segment(ClientOptions.Needed(options.AppAddress, nameof(options.AppAddress)), "AppAddress");
        }

        private static string RequestPath(string id)
        {
            return "/v1/requests/" + Call.Segment(id, nameof(id));
        }
    }

    /// <summary>Which requests or transfers to list. All of it is optional.</summary>
    public sealed class ListFilter
    {
        /// <summary>One <see cref="RequestStatus"/>, or several with commas.</summary>
        public string Status { get; set; }

        /// <summary>Only those of this player.</summary>
        public string UserId { get; set; }

        /// <summary>Includes this moment.</summary>
        public DateTimeOffset? CreatedFrom { get; set; }

        /// <summary>Excludes this moment.</summary>
        public DateTimeOffset? CreatedBefore { get; set; }

        /// <summary>Transfers only.</summary>
        public string RequestId { get; set; }

        /// <summary>Transfers only: <c>in</c> or <c>out</c> of the app's account.</summary>
        public string Direction { get; set; }

        internal Dictionary<string, string> ToQuery(string cursor)
        {
            return new Dictionary<string, string>
            {
                ["status"] = Status,
                ["userId"] = UserId,
                ["createdFrom"] = Iso(CreatedFrom),
                ["createdBefore"] = Iso(CreatedBefore),
                ["requestId"] = RequestId,
                ["direction"] = Direction,
                ["cursor"] = cursor,
            };
        }

        private static string Iso(DateTimeOffset? moment)
        {
            return moment == null ? null : moment.Value.UtcDateTime.ToString("yyyy-MM-ddTHH:mm:ss.fffZ", CultureInfo.InvariantCulture);
        }
    }
}
