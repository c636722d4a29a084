using System;
using System.Globalization;
using Newtonsoft.Json;
using Newtonsoft.Json.Linq;

namespace Quarters
{
    /// <summary>What a player is recognised by: a guest's two tokens, or those of a sign-in. They are secrets.</summary>
    public sealed class PlayerTokens
    {
        private PlayerTokens() { }

        /// <summary>Calls are made with it.</summary>
        public string AccessToken { get; private set; }

        /// <summary>Null for guests, whose access token needs no renewal.</summary>
        public string RefreshToken { get; private set; }

        /// <summary>A guest's <c>firebase_token</c>, which opens approval pages. Null for users, who sign in there.</summary>
        public string PageToken { get; private set; }

        /// <summary>When the access token ends. Null for guests.</summary>
        public DateTimeOffset? ExpiresAt { get; private set; }

        /// <summary>Whether these are the tokens of a guest, which need no renewal.</summary>
        public bool IsGuest
        {
            get { return RefreshToken == null; }
        }

        /// <summary>The tokens of a guest that your server made.</summary>
        /// <param name="accessToken">A guest's <c>access_token</c>, which your server got with the guest.</param>
        /// <param name="pageToken">Its <c>firebase_token</c>.</param>
        public static PlayerTokens OfGuest(string accessToken, string pageToken)
        {
            if (string.IsNullOrEmpty(accessToken)) throw new ArgumentException("It is missing.", nameof(accessToken));
            return new PlayerTokens { AccessToken = HeaderValue.Credential(accessToken), PageToken = pageToken };
        }

        internal static PlayerTokens OfAnswer(JToken answer)
        {
            var json = Json.ObjectIn(answer);
            return new PlayerTokens
            {
                AccessToken = Json.Text(json, "access_token"),
                RefreshToken = Json.Text(json, "refresh_token"),
                ExpiresAt = DateTimeOffset.UtcNow.AddSeconds(Json.Number(json, "expires_in")),
            };
        }

        /// <summary>All of it as one text, for a store. It is as secret as the tokens.</summary>
        public string ToText()
        {
            var json = new JObject { ["access"] = AccessToken, ["refresh"] = RefreshToken, ["page"] = PageToken };
            if (ExpiresAt != null) json["expires"] = ExpiresAt.Value.ToString("o", CultureInfo.InvariantCulture);
            return json.ToString(Formatting.None);
        }

        /// <summary>Reads what <see cref="ToText"/> wrote.</summary>
        /// <exception cref="FormatException">It is not what <see cref="ToText"/> wrote.</exception>
        public static PlayerTokens Parse(string text)
        {
            var json = Json.ObjectIn(Json.Parse(text ?? ""));
            return new PlayerTokens
            {
                AccessToken = Json.Text(json, "access"),
                RefreshToken = Json.TextOrNull(json, "refresh"),
                PageToken = Json.TextOrNull(json, "page"),
                ExpiresAt = Json.TimeOrNull(json, "expires"),
            };
        }
    }
}
