using System.Threading.Tasks;

namespace Quarters
{
    /// <summary>
    /// Keeps a player's tokens, as one text. Whoever reads them can spend the player's quarters, so use what the platform has for secrets:
    /// Keychain on iOS, Keystore on Android. In memory by default.
    /// </summary>
    public interface ITokenStore
    {
        /// <summary>Null if there are none.</summary>
        Task<string> ReadAsync();

        /// <param name="tokens">Null removes them.</param>
        Task WriteAsync(string tokens);
    }

    /// <summary>Keeps tokens until the process ends.</summary>
    public sealed class MemoryTokenStore : ITokenStore
    {
        private string kept;

        public Task<string> ReadAsync()
        {
            return Task.FromResult(kept);
        }

        public Task WriteAsync(string tokens)
        {
            kept = tokens;
            return Task.FromResult(true);
        }
    }
}
