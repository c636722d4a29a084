using System;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;

namespace Quarters
{
    /// <summary>Signing in by authorization code (RFC 6749) with PKCE (RFC 7636), and a guest's sign-up, which gives such a code.</summary>
    public sealed partial class QuartersPlayer
    {
        /// <summary>
        /// Signs in a player who has an account: opens our page, and then plays as that player. Null if the player closed the page.
        /// </summary>
        /// <param name="scope">All scopes by default.</param>
        public async Task<PlayerTokens> SignInAsync(string scope = null, CancellationToken cancel = default(CancellationToken))
        {
            return await SignedInAsync(BeginSignIn(scope), cancel);
        }

        /// <summary>
        /// Lets a guest become a user who keeps account and balance. If the player has moved to an account they had before, the tokens are
        /// for that one, and <see cref="MeAsync"/> names another user id. Null if the player closed the page.
        /// </summary>
        public async Task<PlayerTokens> SignUpGuestAsync(CancellationToken cancel = default(CancellationToken))
        {
            return await SignedInAsync(await BeginSignUpAsync(), cancel);
        }

        /// <summary>The first half of <see cref="SignInAsync"/>, for games that may be killed before the player comes back.</summary>
        public SignInAttempt BeginSignIn(string scope = null)
        {
            var state = Secrets.Random();
            var verifier = Secrets.Random();
            var redirectUri = RedirectUri();
            var address = Link.With(
                options.Url.TrimEnd('/') + "/oauth/authorize",
                "response_type", "code",
                "client_id", options.AppId,
                "redirect_uri", redirectUri,
                "scope", scope,
                "ui_locales", options.Locale,
                "state", state,
                "code_challenge", Secrets.ChallengeOf(verifier),
                "code_challenge_method", "S256");
            return new SignInAttempt(new PlayerPage(PageKind.SignIn, address, null, "state", state), state, verifier, redirectUri);
        }

        /// <summary>The first half of <see cref="SignUpGuestAsync"/>.</summary>
        public async Task<SignInAttempt> BeginSignUpAsync()
        {
            var guest = await TokensAsync();
            if (guest == null || !guest.IsGuest) throw new InvalidOperationException("Only a guest signs up.");
            var state = Secrets.Random();
            var verifier = Secrets.Random();
            var challenge = Secrets.ChallengeOf(verifier);
            var address = Link.With(
                (options.SignUpUrl ?? options.Url).TrimEnd('/') + "/guest",
                "response_type", "code",
                "client_id", options.AppId,
                "token", guest.AccessToken,
                "inline", "true",
                "redirect_uri", RedirectUri(),
                "state", state,
                "code_challenge", challenge,
                "code_challenge_method", "S256",
                "locale", options.Locale);
            var script = new Dictionary<string, string>
            {
                ["clientId"] = options.AppId,
                ["token"] = guest.AccessToken,
                ["state"] = state,
                ["codeChallenge"] = challenge,
                ["locale"] = options.Locale,
                ["signUpUrl"] = options.SignUpUrl,
            };
            return new SignInAttempt(new PlayerPage(PageKind.GuestSignUp, address, script, "state", state), state, verifier, null);
        }

        /// <summary>The second half: redeems the code within 60 seconds, and plays as that player from then on.</summary>
        /// <param name="link">The address that the player came back to.</param>
        /// <exception cref="VerificationException">The address does not answer this attempt, or is of another service.</exception>
        /// <exception cref="ProblemException">The player was not signed in; its code is OAuth's <c>error</c>.</exception>
        public async Task<PlayerTokens> CompleteSignInAsync(
            string link, SignInAttempt attempt, CancellationToken cancel = default(CancellationToken))
        {
            var query = Link.QueryOf(link);
            // First of all: a code that was not asked for here belongs to somebody else (RFC 6749, section 10.12).
            if (ValueOf(query, "state") != attempt.State) throw new VerificationException("The state does not match the one that was sent.");
            var issuer = ValueOf(query, "iss");
            if (issuer != null && issuer != new Uri(options.Url).GetLeftPart(UriPartial.Authority))
                throw new VerificationException("The code was issued by " + issuer + ".");
            var code = ValueOf(query, "code");
            if (code == null) throw Problems.ExceptionOf(RefusalIn(query));
            var player = await oauth.RedeemAsync(code, attempt.CodeVerifier, attempt.RedirectUri, cancel);
            await UseAsync(player);
            return player;
        }

        private async Task<PlayerTokens> SignedInAsync(SignInAttempt attempt, CancellationToken cancel)
        {
            AssertHasPages();
            var link = await options.Pages.OpenAsync(attempt.Page, cancel);
            return link == null ? null : await CompleteSignInAsync(link, attempt, cancel);
        }

        private void AssertHasPages()
        {
            if (options.Pages == null) throw new InvalidOperationException("The option Pages is missing.");
        }

        private string RedirectUri()
        {
            return options.Pages == null ? null : options.Pages.RedirectUri;
        }

        private static Refusal RefusalIn(IReadOnlyDictionary<string, string> query)
        {
            var message = ValueOf(query, "error_description") ?? ValueOf(query, "message") ?? "The player was not signed in.";
            return new Refusal { Status = 400, Code = ValueOf(query, "error") ?? "unknown", Message = message };
        }

        private static string ValueOf(IReadOnlyDictionary<string, string> query, string name)
        {
            string value;
            return query.TryGetValue(name, out value) ? value : null;
        }
    }
}
