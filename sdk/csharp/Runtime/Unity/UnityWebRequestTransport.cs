#if UNITY_5_3_OR_NEWER
using System;
using System.IO;
using System.Text;
using System.Threading;
using System.Threading.Tasks;
using UnityEngine.Networking;

namespace Quarters
{
    /// <summary>Calls by Unity's own client, on every platform of Unity. Use it on the main thread.</summary>
    public sealed class UnityWebRequestTransport : ITransport
    {
        /// <inheritdoc/>
        public async Task<TransportResponse> SendAsync(TransportRequest request, CancellationToken cancel)
        {
            AssertMainThread();
            using (var web = new UnityWebRequest(request.Address, request.Method))
            {
                web.downloadHandler = new DownloadHandlerBuffer();
                if (request.Body != null)
                    web.uploadHandler = new UploadHandlerRaw(Encoding.UTF8.GetBytes(request.Body)) { contentType = "application/json" };
                // A browser follows redirects all the same, but takes no credential to another origin.
                web.redirectLimit = 0;
                web.timeout = (int)Math.Ceiling(request.TimeLimit.TotalSeconds);
                foreach (var header in request.Headers) web.SetRequestHeader(header.Key, header.Value);
                var done = new TaskCompletionSource<bool>();
                using (cancel.Register(web.Abort, true))
                {
                    web.SendWebRequest().completed += _ => done.TrySetResult(true);
                    await done.Task;
                }
                cancel.ThrowIfCancellationRequested();
                if (web.result == UnityWebRequest.Result.ConnectionError || web.responseCode == 0) throw new IOException(web.error);
                return new TransportResponse((int)web.responseCode, web.downloadHandler.text, web.GetResponseHeader("Retry-After"));
            }
        }

        /// <summary>Unity continues after Task.Yield in the next frame, also where there are no threads and no timers.</summary>
        public async Task DelayAsync(TimeSpan time, CancellationToken cancel)
        {
            AssertMainThread();
            var end = DateTimeOffset.UtcNow + time;
            while (DateTimeOffset.UtcNow < end)
            {
                cancel.ThrowIfCancellationRequested();
                await Task.Yield();
            }
        }

        private static void AssertMainThread()
        {
            // Without Unity's own context, Task.Yield would not wait for the next frame.
            if (SynchronizationContext.Current == null) throw new InvalidOperationException("Call Quarters on Unity's main thread.");
        }
    }
}
#endif
