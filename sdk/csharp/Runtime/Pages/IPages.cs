using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;

namespace Quarters
{
    /// <summary>
    /// Opens our pages on a platform: the approval of a payment, a guest's sign-up, a sign-in. A payment does not depend on what comes
    /// back: the library reads the request too, and believes only that.
    /// </summary>
    public interface IPages
    {
        /// <summary>Where our pages send the player back to, as it is registered with the app. Null if nothing comes back.</summary>
        string RedirectUri { get; }

        /// <summary>
        /// Opens a page. The task ends with the address that the player came back to (<see cref="PlayerPage.IsAnswer"/>), or with null once
        /// the player has closed the page. If the platform learns of neither, it ends by <paramref name="cancel"/>.
        /// </summary>
        Task<string> OpenAsync(PlayerPage page, CancellationToken cancel);
    }

    /// <summary>Which of our pages is opened.</summary>
    public enum PageKind
    {
        /// <summary>The player approves or declines a payment.</summary>
        Approval,
        /// <summary>A guest becomes a full user.</summary>
        GuestSignUp,
        /// <summary>A player with an account signs in.</summary>
        SignIn,
    }

    /// <summary>A page to open.</summary>
    public sealed class PlayerPage
    {
        private readonly string answerName;
        private readonly string answerValue;

        internal PlayerPage(
            PageKind kind,
            string address,
            IReadOnlyDictionary<string, string> scriptOptions,
            string answerName,
            string answerValue)
        {
            Kind = kind;
            Address = address;
            ScriptOptions = scriptOptions;
            this.answerName = answerName;
            this.answerValue = answerValue;
        }

        /// <summary>Which of our pages this is.</summary>
        public PageKind Kind { get; }

        /// <summary>The address to open. For a guest it holds a secret, so do not log or show it.</summary>
        public string Address { get; }

        /// <summary>The same page as options of <c>approve</c> or <c>signUpGuest</c> of <c>/quarters.js</c>, for games in a browser.</summary>
        public IReadOnlyDictionary<string, string> ScriptOptions { get; }

        /// <summary>Whether the address that a player came back to answers this page. It says nothing about who made the address.</summary>
        public bool IsAnswer(string link)
        {
            string value;
            return Link.QueryOf(link).TryGetValue(answerName, out value) && value == answerValue;
        }
    }
}
