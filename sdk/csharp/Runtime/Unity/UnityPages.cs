#if UNITY_5_3_OR_NEWER
using UnityEngine;

namespace Quarters
{
    /// <summary>Opens our pages from a game of Unity.</summary>
    public static class UnityPages
    {
        /// <summary>
        /// In the player's browser, and back by a deep link. On WebGL over the game, by <c>/quarters.js</c> of the service. Make one, before
        /// the first payment.
        /// </summary>
        /// <param name="url">The origin of the service's pages.</param>
        /// <param name="redirectUri">
        /// The game's own address, such as <c>com.acme.game://</c>, registered with the app and as a URL scheme in the player settings. Null
        /// where there is none, as on most desktops: payments then end by reading.
        /// </param>
        public static IPages New(string url, string redirectUri)
        {
#if UNITY_WEBGL && !UNITY_EDITOR
            return new BrowserPages(url);
#else
            var pages = new LinkPages(redirectUri, Application.OpenURL);
            Application.deepLinkActivated += link => pages.Arrive(link);
            return pages;
#endif
        }

        /// <summary>
        /// The link that started the game, if one did: the player came back after the game had been killed. Payments need nothing of it
        /// (<see cref="QuartersPlayer.UnfinishedPaymentsAsync"/>). A sign-in is completed with it
        /// (<see cref="QuartersPlayer.CompleteSignInAsync"/>). Null without one.
        /// </summary>
        public static string StartLink
        {
            get { return string.IsNullOrEmpty(Application.absoluteURL) ? null : Application.absoluteURL; }
        }
    }
}
#endif
