#if !UNITY_WEBGL || UNITY_EDITOR
using System;
using System.IO;
using System.Net;
using System.Net.Sockets;
using System.Text;
using System.Threading;
using System.Threading.Tasks;

namespace Quarters
{
    /// <summary>
    /// Opens pages in the player's browser, which comes back to a port of this computer (RFC 8252, section 7.3). For desktops, where a
    /// scheme of one's own needs an installer. Register <c>http://127.0.0.1/callback</c> with the app: any port is then allowed.
    /// </summary>
    public sealed class LoopbackPages : IPages, IDisposable
    {
        private const int LongestHead = 16384;
        private static readonly TimeSpan Patience = TimeSpan.FromSeconds(10);

        private readonly TcpListener listener;
        private readonly LinkPages pages;
        private readonly string backText;

        /// <summary>Listens on a free port of the loopback address until <see cref="Dispose"/>.</summary>
        /// <param name="open">Opens an address in the browser, such as <c>Application.OpenURL</c> or <c>OS.ShellOpen</c>.</param>
        /// <param name="path">The path of the registered address.</param>
        /// <param name="backText">What the browser shows at the end, as plain text.</param>
        public LoopbackPages(Action<string> open, string path = "/callback", string backText = "You can close this page and return to the game.")
        {
            this.backText = backText;
            listener = new TcpListener(IPAddress.Loopback, 0);
            listener.Start();
            RedirectUri = "http://127.0.0.1:" + ((IPEndPoint)listener.LocalEndpoint).Port + path;
            pages = new LinkPages(RedirectUri, open);
            Listen();
        }

        /// <inheritdoc/>
        public string RedirectUri { get; }

        /// <inheritdoc/>
        public Task<string> OpenAsync(PlayerPage page, CancellationToken cancel)
        {
            return pages.OpenAsync(page, cancel);
        }

        /// <summary>Closes the port. A page that is open is then not answered: its task ends by its <c>cancel</c>.</summary>
        public void Dispose()
        {
            listener.Stop();
        }

        private async void Listen()
        {
            while (true)
            {
                TcpClient client;
                try
                {
                    client = await listener.AcceptTcpClientAsync();
                }
                catch (Exception)
                {
                    // Disposed.
                    return;
                }
                Answer(client);
            }
        }

        private async void Answer(TcpClient client)
        {
            // A connection that says nothing ends.
            using (new Timer(_ => client.Close(), null, Patience, Timeout.InfiniteTimeSpan))
            using (client)
            {
                try
                {
                    var stream = client.GetStream();
                    var target = TargetIn(await HeadAsync(stream));
                    var isExpected = target != null && pages.Arrive(RedirectUri.Substring(0, RedirectUri.IndexOf('/', 7)) + target);
                    var answer = Encoding.UTF8.GetBytes(isExpected ? backText : "Not found");
                    var head = "HTTP/1.1 " + (isExpected ? "200 OK" : "404 Not Found") + "\r\nContent-Type: text/plain; charset=utf-8"
                        + "\r\nContent-Length: " + answer.Length + "\r\nCache-Control: no-store\r\nConnection: close\r\n\r\n";
                    var bytes = Encoding.ASCII.GetBytes(head);
                    await stream.WriteAsync(bytes, 0, bytes.Length);
                    await stream.WriteAsync(answer, 0, answer.Length);
                }
                catch (Exception)
                {
                    // The browser has gone, or it was no browser. Nothing that comes from outside may end the game.
                }
            }
        }

        private static async Task<string> HeadAsync(Stream stream)
        {
            var bytes = new byte[LongestHead];
            var length = 0;
            while (length < bytes.Length)
            {
                var read = await stream.ReadAsync(bytes, length, bytes.Length - length);
                if (read == 0) break;
                length += read;
                var head = Encoding.ASCII.GetString(bytes, 0, length);
                if (head.Contains("\r\n\r\n")) return head;
            }
            return "";
        }

        /// <summary>Of the first line, <c>GET /callback?code=… HTTP/1.1</c>. Null if it is anything else.</summary>
        private static string TargetIn(string head)
        {
            var words = head.Split(new[] { "\r\n" }, 2, StringSplitOptions.None)[0].Split(' ');
            return words.Length == 3 && words[0] == "GET" && words[1].StartsWith("/", StringComparison.Ordinal) ? words[1] : null;
        }
    }
}
#endif
