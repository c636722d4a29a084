using System.Collections.Generic;
using System.Threading.Tasks;

namespace Quarters
{
    /// <summary>Keeps deeds until the process ends.</summary>
    public sealed class MemoryPendingStore : IPendingStore
    {
        /// <summary>More are there only if nobody settles them. Then the oldest is forgotten.</summary>
        private const int Most = 10000;

        private static readonly Task Done = Task.FromResult(true);

        private readonly Dictionary<string, PendingDeed> deeds = new Dictionary<string, PendingDeed>();

        /// <inheritdoc/>
        public Task SaveAsync(PendingDeed deed)
        {
            lock (deeds)
            {
                deeds[deed.Id] = deed;
                if (deeds.Count > Most) deeds.Remove(Oldest().Id);
            }
            return Done;
        }

        /// <inheritdoc/>
        public Task RemoveAsync(PendingDeed deed)
        {
            lock (deeds) deeds.Remove(deed.Id);
            return Done;
        }

        /// <inheritdoc/>
        public Task<PendingDeed> FindAsync(string id)
        {
            PendingDeed deed;
            lock (deeds) deeds.TryGetValue(id, out deed);
            return Task.FromResult(deed);
        }

        /// <inheritdoc/>
        public Task<IReadOnlyList<PendingDeed>> ListAsync()
        {
            lock (deeds) return Task.FromResult<IReadOnlyList<PendingDeed>>(new List<PendingDeed>(deeds.Values));
        }

        private PendingDeed Oldest()
        {
            PendingDeed oldest = null;
            foreach (var deed in deeds.Values) if (oldest == null || deed.Begun < oldest.Begun) oldest = deed;
            return oldest;
        }
    }
}
