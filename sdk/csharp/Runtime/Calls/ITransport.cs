using System;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;

namespace Quarters
{
    /// <summary>
    /// What the library needs of a platform: one HTTP request, and a pause. Unity's WebGL has no sockets, threads or timers, so both are
    /// behind this interface, and nothing else in the library uses any.
    /// </summary>
    public interface ITransport
    {
        /// <summary>
        /// Sends a request once and returns what came back, whatever its status. Does not follow redirects, because a credential is only
        /// for the address it was sent to. Throws if nothing came back in <see cref="TransportRequest.TimeLimit"/>.
        /// </summary>
        Task<TransportResponse> SendAsync(TransportRequest request, CancellationToken cancel);

        /// <summary>Ends after this time. Throws <see cref="OperationCanceledException"/> once <paramref name="cancel"/> is cancelled.</summary>
        Task DelayAsync(TimeSpan time, CancellationToken cancel);
    }

    /// <summary>One HTTP request to the service.</summary>
    public sealed class TransportRequest
    {
        internal TransportRequest(string method, Uri address, IReadOnlyDictionary<string, string> headers, string body, TimeSpan timeLimit)
        {
            Method = method;
            Address = address;
            Headers = headers;
            Body = body;
            TimeLimit = timeLimit;
        }

        /// <summary>GET or POST.</summary>
        public string Method { get; }

        /// <summary>The address with its query. It may hold ids and is no secret.</summary>
        public Uri Address { get; }

        /// <summary>All but <c>Content-Type</c>, which is <c>application/json</c> if there is a body.</summary>
        public IReadOnlyDictionary<string, string> Headers { get; }

        /// <summary>JSON, to be sent as UTF-8. Null if there is none.</summary>
        public string Body { get; }

        /// <summary>How long this one try may take.</summary>
        public TimeSpan TimeLimit { get; }
    }

    /// <summary>What came back for a <see cref="TransportRequest"/>.</summary>
    public sealed class TransportResponse
    {
        /// <summary>Holds what came back, as it came.</summary>
        /// <param name="retryAfter">The header <c>Retry-After</c>, or null.</param>
        public TransportResponse(int status, string body, string retryAfter)
        {
            Status = status;
            Body = body;
            RetryAfter = retryAfter;
        }

        /// <summary>The HTTP status.</summary>
        public int Status { get; }
        /// <summary>The whole body as text. Empty if there is none.</summary>
        public string Body { get; }
        /// <summary>The header <c>Retry-After</c>. Null without one.</summary>
        public string RetryAfter { get; }
    }
}
