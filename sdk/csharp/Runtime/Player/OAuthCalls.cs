using System;
using System.Threading;
using System.Threading.Tasks;
using Newtonsoft.Json;
using Newtonsoft.Json.Linq;

namespace Quarters
{
    /// <summary>The token endpoint. Players' devices have no client secret and rely on PKCE (RFC 7636).</summary>
    internal sealed class OAuthCalls
    {
        private readonly Pipeline pipeline;
        private readonly string clientId;
        private readonly string clientSecret;

        internal OAuthCalls(Pipeline pipeline, string clientId, string clientSecret)
        {
            this.pipeline = pipeline;
            this.clientId = clientId;
            this.clientSecret = clientSecret;
        }

        internal Task<PlayerTokens> RedeemAsync(string code, string codeVerifier, string redirectUri, CancellationToken cancel)
        {
            var body = new JObject { ["grant_type"] = "authorization_code", ["code"] = code };
            if (codeVerifier != null) body["code_verifier"] = codeVerifier;
            if (redirectUri != null) body["redirect_uri"] = redirectUri;
            // Not retried: redeeming a code twice revokes its tokens.
            return TokensAsync(body, false, null, cancel);
        }

        internal Task<PlayerTokens> RefreshAsync(string refreshToken, CancellationToken cancel)
        {
            var body = new JObject { ["grant_type"] = "refresh_token", ["refresh_token"] = refreshToken };
            return TokensAsync(body, true, TimeSpan.FromMilliseconds(RetryRules.RefreshTriesMs), cancel);
        }

        private Task<PlayerTokens> TokensAsync(JObject body, bool isRepeatable, TimeSpan? repeatableFor, CancellationToken cancel)
        {
            body["client_id"] = clientId;
            if (clientSecret != null) body["client_secret"] = clientSecret;
            var call = new Call
            {
                Method = "POST",
                Path = "/v1/oauth/token",
                Body = body.ToString(Formatting.None),
                IsRepeatable = isRepeatable,
                RepeatableFor = repeatableFor,
            };
            return pipeline.CallAsync(call, PlayerTokens.OfAnswer, cancel);
        }
    }
}
