using System;
using System.Collections.Generic;
using System.Globalization;
using System.Runtime.ExceptionServices;
using System.Text;
using System.Threading;
using System.Threading.Tasks;
using Newtonsoft.Json.Linq;

namespace Quarters
{
    /// <summary>
    /// Calls one origin of the service, and repeats where that is safe, with growing, random pauses or those of <c>Retry-After</c>.
    /// All calls of players and servers go through here.
    /// </summary>
    /// <remarks>
    /// No await says ConfigureAwait(false). Where there are no threads, as on WebGL, what continues after it would never run.
    /// </remarks>
    internal sealed class Pipeline
    {
        private readonly string origin;
        private readonly ITransport transport;
        private readonly int retries;
        private readonly TimeSpan timeLimit;

        internal Pipeline(string url, ITransport transport, int retries, TimeSpan timeLimit)
        {
            origin = new Uri(url).GetLeftPart(UriPartial.Authority);
            this.transport = transport;
            this.retries = retries;
            this.timeLimit = timeLimit;
        }

        internal ITransport Transport
        {
            get { return transport; }
        }

        /// <summary>Makes a call, repeats it where that is safe, and reads its answer.</summary>
        /// <exception cref="ProblemException">The service refused.</exception>
        /// <exception cref="ConnectionException">It did not answer.</exception>
        /// <exception cref="OutcomeUnknownException">A deed may have been done or not.</exception>
        internal async Task<T> CallAsync<T>(Call call, Func<JToken, T> read, CancellationToken cancel)
        {
            var isRepeatable = call.IsRepeatable ?? (call.Method == "GET" || call.IdempotencyKey != null);
            // The wall clock: a monotonic clock may stand still while a device sleeps.
            var end = call.RepeatableFor == null ? DateTimeOffset.MaxValue : DateTimeOffset.UtcNow + call.RepeatableFor.Value;
            var isUnsure = call.IsUnsure;
            for (var tries = 0; ; tries++)
            {
                QuartersException error;
                try
                {
                    return await OnceAsync(call, read, cancel);
                }
                catch (QuartersException thrown)
                {
                    error = thrown;
                }
                isUnsure = isUnsure || RetryRules.LeavesUnsure(call, error);
                if (isRepeatable && tries < retries && RetryRules.IsWorthAnotherTry(error))
                {
                    await transport.DelayAsync(RetryRules.PauseAfter(tries, error), cancel);
                    if (DateTimeOffset.UtcNow <= end) continue;
                }
                throw Final(call, error, isUnsure);
            }
        }

        /// <summary>What the caller gets after the last try.</summary>
        private static Exception Final(Call call, QuartersException error, bool isUnsure)
        {
            var isUnknown = isUnsure && (error is ConnectionException || RetryRules.SaysNothingOfBefore(error));
            if (isUnknown && call.IdempotencyKey != null)
                return new OutcomeUnknownException(NotKnown(call, error), call.IdempotencyKey, error);
            if (isUnknown && !(error is ConnectionException))
                return new ConnectionException(NotKnown(call, error), error, error.RetryAfter);
            // Keeps where it was thrown.
            ExceptionDispatchInfo.Capture(error).Throw();
            return error;
        }

        private static string NotKnown(Call call, QuartersException last)
        {
            return call.Method + " " + call.Path + ": it is not known whether it was done. " + last.Message;
        }

        private async Task<T> OnceAsync<T>(Call call, Func<JToken, T> read, CancellationToken cancel)
        {
            cancel.ThrowIfCancellationRequested();
            var limit = timeLimit + TimeSpan.FromSeconds(call.WaitSeconds ?? 0);
            TransportResponse response;
            try
            {
                response = await transport.SendAsync(
                    new TransportRequest(call.Method, AddressOf(call), HeadersOf(call), call.Body, limit), cancel);
            }
            catch (ArgumentException)
            {
                // Nothing was sent, and nothing ever will be.
                throw;
            }
            catch (Exception error)
            {
                cancel.ThrowIfCancellationRequested();
                throw new ConnectionException(call.Method + " " + call.Path + ": no response. " + error.Message, error, null);
            }
            var answer = Json.Parse(response.Body ?? "");
            if (response.Status < 200 || response.Status >= 300) throw RefusalIn(call, response, answer);
            try
            {
                if (answer != null) return read(answer);
            }
            catch (FormatException) { }
            catch (OverflowException) { }
            // A page in place of an answer, of a network's login for example.
            throw SomethingInBetween(call, response);
        }

        private Uri AddressOf(Call call)
        {
            var address = new StringBuilder(origin).Append(call.Path);
            var separator = '?';
            if (call.Query != null)
            {
                foreach (var pair in call.Query)
                {
                    if (pair.Value == null) continue;
                    address.Append(separator).Append(pair.Key).Append('=').Append(Uri.EscapeDataString(pair.Value));
                    separator = '&';
                }
            }
            return new Uri(address.ToString());
        }

        private static Dictionary<string, string> HeadersOf(Call call)
        {
            var headers = new Dictionary<string, string> { { "Accept", "application/json" } };
            if (call.Bearer != null) headers["Authorization"] = "Bearer " + call.Bearer;
            if (call.IdempotencyKey != null) headers["Idempotency-Key"] = call.IdempotencyKey;
            if (call.WaitSeconds != null) headers["Prefer"] = "wait=" + call.WaitSeconds.Value.ToString(CultureInfo.InvariantCulture);
            return headers;
        }

        /// <summary>Reads a problem (RFC 9457), or an error of OAuth (RFC 6749, section 5.2). Anything else came from a proxy.</summary>
        private static QuartersException RefusalIn(Call call, TransportResponse response, JToken answer)
        {
            var json = answer as JObject ?? new JObject();
            var code = TextIn(json, "code");
            var isProblem = code != null && TextIn(json, "type") == "urn:quarters:problem:" + code;
            if (!isProblem) code = call.IsOAuth ? TextIn(json, "error") : null;
            if (code == null) return SomethingInBetween(call, response);
            var refusal = new Refusal
            {
                Code = code,
                Status = response.Status,
                Message = TextIn(json, "message") ?? TextIn(json, "error_description") ?? "The service answered " + response.Status + ".",
                RetryAfter = RetryAfterIn(response),
            };
            try
            {
                refusal.Faults = Json.ListOrNull(json, "errors", fault => new InputFault(fault)) ?? refusal.Faults;
            }
            catch (FormatException) { }
            return Problems.ExceptionOf(refusal);
        }

        private static ConnectionException SomethingInBetween(Call call, TransportResponse response)
        {
            var message = call.Method + " " + call.Path + ": something in between answered " + response.Status;
            return new ConnectionException(message, null, RetryAfterIn(response));
        }

        private static string TextIn(JObject json, string name)
        {
            var value = json[name];
            return value != null && value.Type == JTokenType.String ? (string)value : null;
        }

        private static TimeSpan? RetryAfterIn(TransportResponse response)
        {
            int seconds;
            var isNumber = int.TryParse(response.RetryAfter, NumberStyles.None, CultureInfo.InvariantCulture, out seconds);
            return isNumber ? TimeSpan.FromSeconds(seconds) : (TimeSpan?)null;
        }
    }
}
