using System;
using System.Net.Http;
using System.Net.Http.Headers;
using System.Text;
using System.Threading;
using System.Threading.Tasks;
using Newtonsoft.Json;
using Newtonsoft.Json.Linq;

namespace Quarters.Testing
{
    /// <summary>Runs operations of the control API.</summary>
    internal sealed class ControlCalls
    {
        // Shared, as HttpClient wants it. The address is this machine's own, so no proxy is asked.
        private static readonly Lazy<HttpClient> Client = new Lazy<HttpClient>(
            () => new HttpClient(new HttpClientHandler { UseProxy = false }) { Timeout = Timeout.InfiniteTimeSpan });

        private readonly string origin;
        private readonly string token;

        internal ControlCalls(string origin, string token)
        {
            this.origin = origin.TrimEnd('/');
            this.token = token;
        }

        /// <summary>Returns what it answers, or null if it answers nothing. <paramref name="player"/> is the parameter of the path.</summary>
        internal async Task<JObject> CallAsync(Operation operation, JObject input = null, string player = null)
        {
            var path = player == null ? operation.Path : operation.Path.Replace("{player}", Uri.EscapeDataString(player));
            using (var message = new HttpRequestMessage(new HttpMethod(operation.Method), origin + "/emulator/v1" + path))
            {
                message.Headers.Authorization = new AuthenticationHeaderValue("Bearer", token);
                if (operation.Method != "GET")
                    message.Content = new StringContent((input ?? new JObject()).ToString(Formatting.None), Encoding.UTF8, "application/json");
                // A test may block the thread that Unity's tasks go on with.
                using (var response = await SendAsync(message).ConfigureAwait(false))
                {
                    var text = await response.Content.ReadAsStringAsync().ConfigureAwait(false);
                    var answer = text == "" ? null : Json.Read(text);
                    if (response.IsSuccessStatusCode) return answer;
                    throw new EmulatorException((int)response.StatusCode, (string)answer["code"], (string)answer["message"]);
                }
            }
        }

        private async Task<HttpResponseMessage> SendAsync(HttpRequestMessage message)
        {
            try
            {
                return await Client.Value.SendAsync(message).ConfigureAwait(false);
            }
            catch (HttpRequestException error)
            {
                throw new EmulatorException("The emulator at " + origin + " does not answer.", error);
            }
        }
    }
}
