namespace Quarters.Server
{
    /// <summary>What a <see cref="QuartersServer"/> needs. <c>Url</c> and <c>ServerKey</c> are required, and <c>AppAddress</c> to pay.</summary>
    public sealed class ServerOptions : ClientOptions
    {
        /// <summary>The app's server API key, <c>qk_…</c>. Keep it on your server: whoever has it pays from the app's account.</summary>
        public string ServerKey { get; set; }

        /// <summary>The address of the app's own account, which it pays from.</summary>
        public string AppAddress { get; set; }

        /// <summary>The origin for creating guests, if the operator has set a separate one.</summary>
        public string GuestsUrl { get; set; }

        /// <summary>The client secret, for <see cref="QuartersServer.RedeemAsync"/>. An app that is a public client has none.</summary>
        public string ClientSecret { get; set; }
    }
}
