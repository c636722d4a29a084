#if UNITY_WEBGL && !UNITY_EDITOR
using System;
using System.Collections.Generic;
using System.Runtime.InteropServices;
using System.Threading;
using System.Threading.Tasks;
using Newtonsoft.Json;
using Newtonsoft.Json.Linq;
using UnityEngine;

namespace Quarters
{
    /// <summary>
    /// Opens our pages over a game in the browser, by <c>/quarters.js</c> (Plugins/WebGL/Quarters.jslib). The site of the game must be
    /// registered with the app. A sign-in needs the whole tab, so the page around the game has to do it.
    /// </summary>
    public sealed class BrowserPages : IPages
    {
        private readonly string script;
        private readonly BrowserReceiver receiver;

        /// <summary>Makes an object in the scene that the browser's answers come to. It outlives the scene.</summary>
        public BrowserPages(string url)
        {
            script = url.TrimEnd('/') + "/quarters.js";
            receiver = BrowserReceiver.New();
        }

        /// <summary>The script tells the result to the game's page itself.</summary>
        public string RedirectUri
        {
            get { return null; }
        }

        /// <inheritdoc/>
        public async Task<string> OpenAsync(PlayerPage page, CancellationToken cancel)
        {
            if (page.ScriptOptions == null) throw new NotSupportedException("A game in a browser cannot open the sign-in page over itself.");
            var id = Guid.NewGuid().ToString("N");
            var answer = receiver.Expect(id);
            QuartersOpenPage(
                script,
                page.Kind == PageKind.GuestSignUp ? "signUpGuest" : "approve",
                Written(page.ScriptOptions),
                id,
                receiver.name);
            using (cancel.Register(() => receiver.Forget(id), true))
            {
                var query = await answer;
                if (query == "") return null;
                // The script has told our own call, which stands for the state that a redirect would carry.
                string state;
                return Link.With("?" + query, "state", page.ScriptOptions.TryGetValue("state", out state) ? state : null);
            }
        }

        private static string Written(IReadOnlyDictionary<string, string> options)
        {
            var json = new JObject();
            foreach (var option in options) if (option.Value != null) json[option.Key] = option.Value;
            return json.ToString(Formatting.None);
        }

        [DllImport("__Internal")]
        private static extern void QuartersOpenPage(string script, string method, string options, string id, string receiver);
    }

    /// <summary>JavaScript reaches a game by the name of an object.</summary>
    internal sealed class BrowserReceiver : MonoBehaviour
    {
        private readonly Dictionary<string, TaskCompletionSource<string>> expected = new Dictionary<string, TaskCompletionSource<string>>();

        internal static BrowserReceiver New()
        {
            var holder = new GameObject("Quarters " + Guid.NewGuid().ToString("N"));
            DontDestroyOnLoad(holder);
            return holder.AddComponent<BrowserReceiver>();
        }

        internal Task<string> Expect(string id)
        {
            return (expected[id] = new TaskCompletionSource<string>()).Task;
        }

        internal void Forget(string id)
        {
            TaskCompletionSource<string> waiting;
            if (expected.TryGetValue(id, out waiting) && expected.Remove(id)) waiting.TrySetCanceled();
        }

        /// <summary>The script calls it, with the id of the call, a space, and what a redirect's query would say.</summary>
        [UnityEngine.Scripting.Preserve]
        public void OnQuartersAnswer(string message)
        {
            var space = message.IndexOf(' ');
            var id = message.Substring(0, space);
            TaskCompletionSource<string> waiting;
            if (expected.TryGetValue(id, out waiting) && expected.Remove(id)) waiting.TrySetResult(message.Substring(space + 1));
        }
    }
}
#endif
