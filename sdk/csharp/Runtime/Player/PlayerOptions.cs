namespace Quarters
{
    /// <summary>What a <see cref="QuartersPlayer"/> needs. <c>Url</c> and <c>AppId</c> are required.</summary>
    public sealed class PlayerOptions : ClientOptions
    {
        /// <summary>Where the player's tokens are kept. In memory by default, so that the player signs in again next time.</summary>
        public ITokenStore TokenStore { get; set; } = new MemoryTokenStore();

        /// <summary>How our pages are opened. Unity: <c>UnityPages.New(…)</c>. Elsewhere: <see cref="LinkPages"/>.</summary>
        public IPages Pages { get; set; }

        /// <summary>The language that the player plays in (BCP 47, such as <c>de</c>). The account's or the browser's by default.</summary>
        public string Locale { get; set; }

        /// <summary>The origin of approval pages, if the operator has set a separate one.</summary>
        public string ApprovalUrl { get; set; }

        /// <summary>The origin of guests' sign-up, if the operator has set a separate one.</summary>
        public string SignUpUrl { get; set; }
    }
}
