using System;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;
using Newtonsoft.Json.Linq;

namespace Quarters
{
    /// <summary>
    /// The service for one player, on the player's device. There is no server API key here: that is <c>QuartersServer</c>, in another
    /// assembly, on your server.
    /// </summary>
    /// <remarks>
    /// Every call throws a <see cref="ProblemException"/> if the service refuses, and a <see cref="ConnectionException"/> if it does not
    /// answer. Safe retries have been made by then. In Unity, call it on the main thread.
    /// </remarks>
    public sealed partial class QuartersPlayer
    {
        private readonly PlayerOptions options;
        private readonly Pipeline pipeline;
        private readonly OAuthCalls oauth;
        private readonly Deeds deeds;
        private readonly object renewing = new object();
        private readonly SemaphoreSlim changing = new SemaphoreSlim(1);
        private Task<PlayerTokens> renewal;
        private string renewedToken;
        private PlayerTokens tokens;
        private int players;

        /// <summary>Makes no call yet. Throws <see cref="ArgumentException"/> if a required option is missing.</summary>
        public QuartersPlayer(PlayerOptions options)
        {
            this.options = options;
            ClientOptions.Needed(options.AppId, nameof(options.AppId));
            pipeline = options.PipelineTo(options.ApiUrl);
            oauth = new OAuthCalls(pipeline, options.AppId, null);
            deeds = new Deeds(options.PendingStore, true);
        }

        /// <summary>The tokens in use. Null if there is no player yet.</summary>
        public async Task<PlayerTokens> TokensAsync()
        {
            if (tokens != null) return tokens;
            var player = players;
            var text = await options.TokenStore.ReadAsync();
            // What has been set meanwhile stays.
            if (player != players || tokens != null) return tokens;
            return tokens = text == null ? null : PlayerTokens.Parse(text);
        }

        /// <summary>Plays as this player from now on, and keeps the tokens.</summary>
        public Task UseAsync(PlayerTokens player)
        {
            if (player == null) throw new ArgumentNullException(nameof(player));
            return ChangeAsync(player, null);
        }

        /// <summary>Removes the tokens. They stay valid: a guest without tokens is lost, unless your server has them.</summary>
        public Task ForgetAsync()
        {
            return ChangeAsync(null, null);
        }

        /// <summary>The player: id, and name and e-mail address as far as the tokens allow.</summary>
        public Task<User> MeAsync(CancellationToken cancel = default(CancellationToken))
        {
            return CallAsync(Call.Get("/v1/me"), json => new User(Json.ObjectIn(json)), cancel);
        }

        /// <summary>The player's only account.</summary>
        public async Task<Account> AccountAsync(CancellationToken cancel = default(CancellationToken))
        {
            return await CallAsync(Call.Get("/v1/accounts"), json => Json.OnlyOf(json, item => new Account(item)), cancel);
        }

        /// <summary>What the player can spend now, without rewards.</summary>
        /// <param name="address">That of <see cref="AccountAsync"/>.</param>
        public Task<Balance> BalanceAsync(string address, CancellationToken cancel = default(CancellationToken))
        {
            var path = "/v1/accounts/" + Call.Segment(address, nameof(address)) + "/balance";
            return CallAsync(Call.Get(path), json => Json.OnlyOf(json, item => new Balance(item)), cancel);
        }

        /// <summary>Rewards granted but not spent yet. A payment uses them first.</summary>
        public Task<Reward> RewardAsync(string address, CancellationToken cancel = default(CancellationToken))
        {
            var path = "/v1/accounts/" + Call.Segment(address, nameof(address)) + "/rewards";
            return CallAsync(Call.Get(path), json => Json.OnlyOf(json, item => new Reward(item)), cancel);
        }

        /// <summary>Asks the player for quarters and opens nothing. <see cref="RequestPaymentAsync"/> does all of it.</summary>
        public Task<TransferRequest> AskAsync(
            long amount, PaymentOptions payment = null, CancellationToken cancel = default(CancellationToken))
        {
            return deeds.DoAsync(Asking(amount, payment ?? new PaymentOptions()), call => AskAsync(call, cancel));
        }

        /// <summary>
        /// Approves a request within the player's spending limit, without asking. If it is refused with status 402, 403 or 409, the request
        /// stays pending and the player can still approve it on the page. Repeating it does no harm: a request is decided once.
        /// </summary>
        public async Task<TransferOutcome> AutoApproveAsync(
            string requestId, int? waitSeconds = null, CancellationToken cancel = default(CancellationToken))
        {
            var account = await AccountAsync(cancel);
            var body = new AutoApproval { ClientId = options.AppId, UserId = account.UserId, Address = account.Address };
            var path = "/v1/requests/" + Call.Segment(requestId, nameof(requestId)) + "/autoApprove";
            var call = Call.Deed(path, body.ToJson(), null, waitSeconds);
            return await CallAsync(call, json => new TransferOutcome(Json.ObjectIn(json)), cancel);
        }

        /// <summary>Reads one request of this player. A <see cref="NotFoundException"/> says that it is no request of theirs.</summary>
        public Task<RequestState> RequestAsync(string id, CancellationToken cancel = default(CancellationToken))
        {
            return CallAsync(
                Call.Get("/v1/requests/" + Call.Segment(id, nameof(id))), json => new RequestState(Json.ObjectIn(json)), cancel);
        }

        /// <summary>This app's requests to the player, newest first.</summary>
        /// <param name="status">One <see cref="RequestStatus"/>, or several with commas. Null for all.</param>
        public Task<Page<RequestState>> RequestsAsync(
            string status = null, string cursor = null, CancellationToken cancel = default(CancellationToken))
        {
            var filter = new Dictionary<string, string> { ["status"] = status, ["cursor"] = cursor };
            return Page<RequestState>.ReadAsync(CallAsync, "/v1/requests", filter, item => new RequestState(item), cancel);
        }

        /// <summary>Calls as the player. If the access token has expired, it is renewed and the call repeated.</summary>
        private async Task<T> CallAsync<T>(Call call, Func<JToken, T> read, CancellationToken cancel)
        {
            // Before the tokens: if the player changes in between, those of the old one are never renewed as the new one's.
            var player = players;
            var used = await TokensAsync();
            if (used == null) throw new InvalidOperationException("There is no player yet: use UseAsync or SignInAsync first.");
            QuartersException expired;
            try
            {
                return await pipeline.CallAsync(call.As(used.AccessToken), read, cancel);
            }
            catch (QuartersException error)
            {
                // A call that was begun as one player is not done as another.
                if (used.RefreshToken == null || !SaysExpired(error) || player != players) throw;
                expired = error;
            }
            // A try before the one that found the token expired may have succeeded.
            var isUnsure = expired is OutcomeUnknownException;
            string bearer;
            try
            {
                bearer = (await RenewedAsync(used, player)).AccessToken;
            }
            catch (QuartersException error)
            {
                if (!isUnsure) throw;
                var message = call.Path + ": it is not known whether it was done. The access token has expired and could not be renewed.";
                throw new OutcomeUnknownException(message, call.IdempotencyKey, error);
            }
            var again = call.As(bearer);
            again.IsUnsure = call.IsUnsure || isUnsure;
            return await pipeline.CallAsync(again, read, cancel);
        }

        /// <summary>If several calls find the token expired, the first renews it for all. No caller's cancellation ends it.</summary>
        private Task<PlayerTokens> RenewedAsync(PlayerTokens used, int player)
        {
            lock (renewing)
            {
                if (player != players) throw HasChanged();
                if (tokens != null && tokens.AccessToken != used.AccessToken) return Task.FromResult(tokens);
                // If the renewal fails, the next call tries again.
                if (renewal == null || renewedToken != used.AccessToken || renewal.IsFaulted) renewal = RenewAsync(used, player);
                renewedToken = used.AccessToken;
                return renewal;
            }
        }

        private async Task<PlayerTokens> RenewAsync(PlayerTokens used, int player)
        {
            var fresh = await oauth.RefreshAsync(used.RefreshToken, CancellationToken.None);
            // Kept before it is used: the old refresh token works for 30 more seconds only.
            await ChangeAsync(fresh, player);
            return fresh;
        }

        /// <summary>Keeps tokens, or removes them. One change after another, so that the store and <see cref="tokens"/> end with the same.</summary>
        /// <param name="renewedFor">If these are renewed tokens: of which player. They do not replace those of the next one.</param>
        private async Task ChangeAsync(PlayerTokens to, int? renewedFor)
        {
            await changing.WaitAsync();
            try
            {
                if (renewedFor != null && renewedFor != players) throw HasChanged();
                await options.TokenStore.WriteAsync(to == null ? null : to.ToText());
                tokens = to;
                if (renewedFor == null) players++;
            }
            finally
            {
                changing.Release();
            }
        }

        private static QuartersException HasChanged()
        {
            return new ConnectionException("The player has changed meanwhile.", null, null);
        }

        private static bool SaysExpired(QuartersException error)
        {
            var problem = (error as ProblemException) ?? error.InnerException as ProblemException;
            return problem != null && problem.Code == ProblemCode.TokenExpired;
        }
    }
}
