using System;
using Newtonsoft.Json;
using Newtonsoft.Json.Linq;

namespace Quarters
{
    /// <summary>
    /// A sign-in or sign-up that was begun. Keep <see cref="ToText"/> on the device if the game may be killed while the player is on the
    /// page. It is a secret: with it and the code, anybody is the player.
    /// </summary>
    public sealed class SignInAttempt
    {
        internal SignInAttempt(PlayerPage page, string state, string codeVerifier, string redirectUri)
        {
            Page = page;
            State = state;
            CodeVerifier = codeVerifier;
            RedirectUri = redirectUri;
        }

        /// <summary>The page to open. Null after <see cref="Parse"/>.</summary>
        public PlayerPage Page { get; }

        internal string State { get; }

        internal string CodeVerifier { get; }

        /// <summary>For a sign-in. Null for a guest's sign-up, whose code is redeemed without one.</summary>
        internal string RedirectUri { get; }

        /// <summary>The attempt as text, without its page. It is a secret.</summary>
        public string ToText()
        {
            var json = new JObject { ["state"] = State, ["verifier"] = CodeVerifier, ["redirect"] = RedirectUri };
            return json.ToString(Formatting.None);
        }

        /// <summary>Reads what <see cref="ToText"/> wrote.</summary>
        /// <exception cref="FormatException">It is not what <see cref="ToText"/> wrote.</exception>
        public static SignInAttempt Parse(string text)
        {
            var json = Json.ObjectIn(Json.Parse(text ?? ""));
            return new SignInAttempt(
                null, Json.Text(json, "state"), Json.Text(json, "verifier"), Json.TextOrNull(json, "redirect"));
        }
    }
}
