#if UNITY_5_3_OR_NEWER
using System;
using System.Collections.Generic;
using System.Threading.Tasks;
using Newtonsoft.Json;
using Newtonsoft.Json.Linq;
using UnityEngine;

namespace Quarters
{
    /// <summary>
    /// Keeps payments under way in PlayerPrefs, which every platform of Unity has, WebGL too. Deeds are no secrets. Use it on the main
    /// thread.
    /// </summary>
    public sealed class PlayerPrefsPendingStore : IPendingStore
    {
        private readonly string key;

        /// <summary>Keeps deeds under this key.</summary>
        /// <param name="key">One for each player of this device.</param>
        public PlayerPrefsPendingStore(string key = "quarters.pending")
        {
            this.key = key;
        }

        /// <inheritdoc/>
        public Task SaveAsync(PendingDeed deed)
        {
            var deeds = Read();
            deeds[deed.Id] = deed;
            return Write(deeds);
        }

        /// <inheritdoc/>
        public Task RemoveAsync(PendingDeed deed)
        {
            var deeds = Read();
            return deeds.Remove(deed.Id) ? Write(deeds) : Task.CompletedTask;
        }

        /// <inheritdoc/>
        public Task<PendingDeed> FindAsync(string id)
        {
            PendingDeed deed;
            Read().TryGetValue(id, out deed);
            return Task.FromResult(deed);
        }

        /// <inheritdoc/>
        public Task<IReadOnlyList<PendingDeed>> ListAsync()
        {
            return Task.FromResult<IReadOnlyList<PendingDeed>>(new List<PendingDeed>(Read().Values));
        }

        private Dictionary<string, PendingDeed> Read()
        {
            var deeds = new Dictionary<string, PendingDeed>();
            foreach (var item in JArray.Parse(PlayerPrefs.GetString(key, "[]")))
            {
                var deed = PendingDeed.Parse((string)item);
                deeds[deed.Id] = deed;
            }
            return deeds;
        }

        private Task Write(Dictionary<string, PendingDeed> deeds)
        {
            var all = new JArray();
            foreach (var deed in deeds.Values) all.Add(deed.ToText());
            PlayerPrefs.SetString(key, all.ToString(Formatting.None));
            // To the disk before the deed is sent.
            PlayerPrefs.Save();
            return Task.CompletedTask;
        }
    }

    /// <summary>
    /// Keeps tokens in PlayerPrefs. That is a plain file, or the registry on Windows: who can read the player's files can spend the
    /// player's quarters. Good enough for a try-out. For a release, write an <see cref="ITokenStore"/> on Keychain and Keystore.
    /// </summary>
    public sealed class PlayerPrefsTokenStore : ITokenStore
    {
        private readonly string key;

        /// <summary>Keeps tokens under this key. One for each player of this device.</summary>
        public PlayerPrefsTokenStore(string key = "quarters.tokens")
        {
            this.key = key;
        }

        /// <inheritdoc/>
        public Task<string> ReadAsync()
        {
            return Task.FromResult(PlayerPrefs.HasKey(key) ? PlayerPrefs.GetString(key) : null);
        }

        /// <inheritdoc/>
        public Task WriteAsync(string tokens)
        {
            if (tokens == null) PlayerPrefs.DeleteKey(key);
            else PlayerPrefs.SetString(key, tokens);
            PlayerPrefs.Save();
            return Task.CompletedTask;
        }
    }
}
#endif
