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

        /// <summary>Keeps the tokens in place of earlier ones.</summary>
        /// <param name="tokens">Null removes them.</param>
        Task WriteAsync(string tokens);
    }

    /// <summary>Keeps tokens until the process ends.</summary>
    public sealed class MemoryTokenStore : ITokenStore
    {
        private string kept;

        /// <inheritdoc/>
        public Task<string> ReadAsync()
        {
            return Task.FromResult(kept);
        }

        /// <inheritdoc/>
        public Task WriteAsync(string tokens)
        {
            kept = tokens;
            return Task.FromResult(true);
        }
    }
}
