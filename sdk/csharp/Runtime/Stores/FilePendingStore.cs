using System;
using System.Collections.Generic;
using System.IO;
using System.Security.Cryptography;
using System.Text;
using System.Threading.Tasks;

namespace Quarters
{
    /// <summary>
    /// Keeps each deed in a file of its own, in a folder of its own: servers, Godot, and Unity on desktops and phones
    /// (<c>Application.persistentDataPath</c>). A file appears whole or not at all.
    /// </summary>
    public sealed class FilePendingStore : IPendingStore
    {
        private static readonly Task Done = Task.FromResult(true);

        private readonly string folder;
        private readonly object writing = new object();

        /// <summary>Keeps deeds in this folder.</summary>
        /// <param name="folder">Made if it is not there. One for each player: the deeds of one are not repeated as another.</param>
        public FilePendingStore(string folder)
        {
            this.folder = Path.GetFullPath(folder);
            Directory.CreateDirectory(this.folder);
        }

        /// <inheritdoc/>
        public Task SaveAsync(PendingDeed deed)
        {
            var path = PathOf(deed.Id);
            var draft = path + ".tmp";
            var bytes = new UTF8Encoding(false).GetBytes(deed.ToText());
            lock (writing)
            {
                using (var file = new FileStream(draft, FileMode.Create, FileAccess.Write))
                {
                    file.Write(bytes, 0, bytes.Length);
                    // On the disk before the deed is sent.
                    file.Flush(true);
                }
                if (File.Exists(path)) File.Replace(draft, path, null);
                else File.Move(draft, path);
            }
            return Done;
        }

        /// <inheritdoc/>
        public Task RemoveAsync(PendingDeed deed)
        {
            lock (writing) File.Delete(PathOf(deed.Id));
            return Done;
        }

        /// <inheritdoc/>
        public Task<PendingDeed> FindAsync(string id)
        {
            return Task.FromResult(Read(PathOf(id)));
        }

        /// <inheritdoc/>
        public Task<IReadOnlyList<PendingDeed>> ListAsync()
        {
            var deeds = new List<PendingDeed>();
            foreach (var path in Directory.GetFiles(folder, "*.json"))
            {
                var deed = Read(path);
                if (deed != null) deeds.Add(deed);
            }
            return Task.FromResult<IReadOnlyList<PendingDeed>>(deeds);
        }

        private static PendingDeed Read(string path)
        {
            try
            {
                return PendingDeed.Parse(File.ReadAllText(path, Encoding.UTF8));
            }
            catch (FileNotFoundException)
            {
                return null;
            }
            catch (FormatException)
            {
                // Not written by this library.
                return null;
            }
        }

        /// <summary>Ids hold what callers chose, and no file system allows all of that.</summary>
        private string PathOf(string id)
        {
            using (var sha = SHA256.Create())
            {
                var hash = sha.ComputeHash(Encoding.UTF8.GetBytes(id));
                return Path.Combine(folder, BitConverter.ToString(hash, 0, 16).Replace("-", "").ToLowerInvariant() + ".json");
            }
        }
    }
}
