using System;
using System.Net.Http;
using System.Text;
using System.Threading;
using System.Threading.Tasks;

namespace Quarters
{
    /// <summary>Calls by .NET's own <see cref="HttpClient"/>: servers, Godot, desktop. Not for Unity's WebGL.</summary>
    public sealed class HttpClientTransport : ITransport
    {
        // Shared, as HttpClient wants it: one for each call would use up the machine's ports.
        private static readonly Lazy<HttpClient> Shared = new Lazy<HttpClient>(NewClient);

        private readonly HttpClient client;

        /// <summary>Calls by one client that all instances share. It follows no redirects and keeps no cookies.</summary>
        public HttpClientTransport() : this(Shared.Value) { }

        /// <summary>Calls by a client of your own.</summary>
        /// <param name="client">Your own. Its handler must not follow redirects (<c>AllowAutoRedirect = false</c>).</param>
        public HttpClientTransport(HttpClient client)
        {
            if (client == null) throw new ArgumentNullException(nameof(client));
            this.client = client;
        }

        /// <inheritdoc/>
        public async Task<TransportResponse> SendAsync(TransportRequest request, CancellationToken cancel)
        {
            using (var limit = CancellationTokenSource.CreateLinkedTokenSource(cancel))
            using (var message = new HttpRequestMessage(new HttpMethod(request.Method), request.Address))
            {
                limit.CancelAfter(request.TimeLimit);
                foreach (var header in request.Headers)
                {
                    // Left out in silence, a key would make a repetition another payment.
                    if (!message.Headers.TryAddWithoutValidation(header.Key, header.Value) || !message.Headers.Contains(header.Key))
                        throw new ArgumentException("The header " + header.Key + " cannot be sent.");
                }
                if (request.Body != null) message.Content = new StringContent(request.Body, Encoding.UTF8, "application/json");
                using (var response = await client.SendAsync(message, HttpCompletionOption.ResponseContentRead, limit.Token))
                {
                    var body = await response.Content.ReadAsStringAsync();
                    return new TransportResponse((int)response.StatusCode, body, RetryAfterOf(response));
                }
            }
        }

        /// <inheritdoc/>
        public Task DelayAsync(TimeSpan time, CancellationToken cancel)
        {
            return Task.Delay(time, cancel);
        }

        private static string RetryAfterOf(HttpResponseMessage response)
        {
            System.Collections.Generic.IEnumerable<string> values;
            return response.Headers.TryGetValues("Retry-After", out values) ? string.Join(",", values) : null;
        }

        private static HttpClient NewClient()
        {
            var handler = new HttpClientHandler { AllowAutoRedirect = false, UseCookies = false };
            // Each call has its own time limit. The longest answers are lists of a hundred, far below this size.
            return new HttpClient(handler) { Timeout = Timeout.InfiniteTimeSpan, MaxResponseContentBufferSize = 16 * 1024 * 1024 };
        }
    }
}
