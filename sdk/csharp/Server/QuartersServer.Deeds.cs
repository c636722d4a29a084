using System;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;
using Newtonsoft.Json.Linq;

namespace Quarters.Server
{
    public sealed partial class QuartersServer
    {
        private const string NewGuestPath = "/v1/new-guest";

        /// <summary>
        /// Repeats the deeds that were under way when the server ended, with their own keys. Call it once at a start, with a
        /// <see cref="FilePendingStore"/> or a store in your database. A deed that is settled now leaves the store,
        /// and so does one that can never be sent: see <see cref="ResumedDeed.IsUnsendable"/>.
        /// </summary>
        public async Task<IReadOnlyList<ResumedDeed>> ResumeAsync(CancellationToken cancel = default(CancellationToken))
        {
            var resumed = new List<ResumedDeed>();
            foreach (var deed in await options.PendingStore.ListAsync())
            {
                JToken answer = null;
                QuartersException error = null;
                try
                {
                    if (!deed.CanBeSent)
                    {
                        await options.PendingStore.RemoveAsync(deed);
                    }
                    else if (deed.CanBeRepeated)
                    {
                        answer = await deeds.SettleAsync(deed, () => SendAsync(deed.ToCall(), json => json, cancel));
                        await options.PendingStore.RemoveAsync(deed);
                    }
                }
                catch (QuartersException thrown)
                {
                    error = thrown;
                }
                resumed.Add(new ResumedDeed(deed, answer, error));
            }
            return resumed;
        }

        /// <summary>Removes a deed, once you have found out yourself what became of it.</summary>
        public Task ForgetAsync(PendingDeed deed)
        {
            return options.PendingStore.RemoveAsync(deed);
        }

        private Task<T> DoAsync<T>(Call call, Func<JToken, T> read, CancellationToken cancel)
        {
            return deeds.DoAsync(call, begun => SendAsync(begun, read, cancel));
        }

        private Task<T> SendAsync<T>(Call call, Func<JToken, T> read, CancellationToken cancel)
        {
            return (call.Path == NewGuestPath ? guests : pipeline).CallAsync(call.As(options.ServerKey), read, cancel);
        }

        private Task<T> CallAsync<T>(Call call, Func<JToken, T> read, CancellationToken cancel)
        {
            return pipeline.CallAsync(call.As(options.ServerKey), read, cancel);
        }

        private static Guest GuestIn(JToken json)
        {
            return Json.OnlyOf(json, item => new Guest(item));
        }

        private static TransferOutcome OutcomeIn(JToken json)
        {
            return new TransferOutcome(Json.ObjectIn(json));
        }

        private static RequestState StateIn(JToken json)
        {
            return new RequestState(Json.ObjectIn(json));
        }
    }

    /// <summary>What became of a deed that was under way.</summary>
    public sealed class ResumedDeed
    {
        internal ResumedDeed(PendingDeed deed, JToken answer, QuartersException error)
        {
            Deed = deed;
            Answer = answer;
            Error = error;
        }

        /// <summary>The deed that was under way.</summary>
        public PendingDeed Deed { get; }

        /// <summary>Whether it is done. The answer is that of the API.</summary>
        public bool IsDone
        {
            get { return Answer != null; }
        }

        /// <summary>
        /// Whether its key can be no header, which only an earlier version of this library took. It has left the store, since it can never be
        /// repeated. It may have been sent without its key: look for it in the lists of requests and transfers.
        /// </summary>
        public bool IsUnsendable
        {
            get { return !Deed.CanBeSent; }
        }

        /// <summary>
        /// Whether it is still not known: the service did not settle it now, or has forgotten the key after a day, or the deed
        /// <see cref="IsUnsendable"/>. Look for it in the lists of requests and transfers then.
        /// </summary>
        public bool IsUnknown
        {
            get { return Answer == null && !(Error is ProblemException); }
        }

        /// <summary>Null if it is not done.</summary>
        public JToken Answer { get; }

        /// <summary>A <see cref="ProblemException"/> if the service refused the deed: then nothing was done.</summary>
        public QuartersException Error { get; }
    }
}
