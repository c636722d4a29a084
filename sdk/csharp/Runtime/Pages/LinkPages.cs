using System;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;

namespace Quarters
{
    /// <summary>
    /// Opens pages in the player's browser, which comes back by an address of the game's own scheme (<c>com.acme.game://</c>). Tell
    /// <see cref="Arrive"/> each address that the platform opens the game with.
    /// </summary>
    public sealed class LinkPages : IPages
    {
        private readonly Action<string> open;
        private readonly List<Waiting> all = new List<Waiting>();

        /// <summary>Opens pages by a function of the platform.</summary>
        /// <param name="redirectUri">As it is registered with the app. Null if the game has no scheme: then payments end by reading.</param>
        /// <param name="open">Opens an address in the browser, such as <c>Application.OpenURL</c> or <c>OS.ShellOpen</c>.</param>
        public LinkPages(string redirectUri, Action<string> open)
        {
            if (open == null) throw new ArgumentNullException(nameof(open));
            RedirectUri = redirectUri;
            this.open = open;
        }

        /// <inheritdoc/>
        public string RedirectUri { get; }

        /// <summary>Returns whether a page was waiting for this address.</summary>
        public bool Arrive(string link)
        {
            Waiting found;
            lock (all)
            {
                found = all.Find(waiting => waiting.Page.IsAnswer(link));
                all.Remove(found);
            }
            return found != null && found.Link.TrySetResult(link);
        }

        /// <inheritdoc/>
        public async Task<string> OpenAsync(PlayerPage page, CancellationToken cancel)
        {
            var waiting = new Waiting { Page = page };
            using (cancel.Register(() => waiting.Link.TrySetCanceled()))
            {
                lock (all) all.Add(waiting);
                try
                {
                    open(page.Address);
                    return await waiting.Link.Task;
                }
                finally
                {
                    lock (all) all.Remove(waiting);
                }
            }
        }

        private sealed class Waiting
        {
            internal PlayerPage Page;
            internal readonly TaskCompletionSource<string> Link = new TaskCompletionSource<string>();
        }
    }
}
