using System;

namespace Quarters
{
    /// <summary>Where the service is, and how calls are made. The clients for players and servers share these options.</summary>
    public abstract class ClientOptions
    {
        internal ClientOptions() { }

        /// <summary>The origin of the pages: <c>https://quarters.example</c>.</summary>
        public string Url { get; set; }

        /// <summary>The API's origin, if the operator has set a separate one. <see cref="Url"/> by default.</summary>
        public string ApiUrl { get; set; }

        /// <summary>The app's id.</summary>
        public string AppId { get; set; }

        /// <summary>Unity takes <c>UnityWebRequestTransport</c> by itself, and everything else <see cref="HttpClientTransport"/>.</summary>
        public ITransport Transport { get; set; }

        /// <summary>How often a call is repeated after the first try.</summary>
        public int Retries { get; set; } = RetryRules.Retries;

        /// <summary>How long one try may take.</summary>
        public TimeSpan TimeLimit { get; set; } = TimeSpan.FromMilliseconds(RetryRules.TimeLimitMs);

        /// <summary>
        /// Where payments under way are kept until their outcome is known. In memory by default, which forgets them when the game ends.
        /// </summary>
        public IPendingStore PendingStore { get; set; } = new MemoryPendingStore();

        internal static string Needed(string value, string name)
        {
            if (string.IsNullOrEmpty(value)) throw new ArgumentException("The option " + name + " is missing.");
            return value;
        }

        internal Pipeline PipelineTo(string origin)
        {
            return new Pipeline(origin ?? Needed(Url, nameof(Url)), Transport ?? PlatformTransport.New(), Retries, TimeLimit);
        }
    }
}
