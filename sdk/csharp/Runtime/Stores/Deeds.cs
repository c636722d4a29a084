using System;
using System.Threading.Tasks;

namespace Quarters
{
    /// <summary>Writes a deed down before it is sent, and removes it once its outcome is known.</summary>
    internal sealed class Deeds
    {
        private readonly IPendingStore store;
        private readonly bool areHarmlessTwice;

        /// <summary>Keeps deeds in this store.</summary>
        /// <param name="areHarmlessTwice">Whether a deed may be done anew once the service has forgotten its key: asking may, paying may not.</param>
        internal Deeds(IPendingStore store, bool areHarmlessTwice)
        {
            if (store == null) throw new ArgumentException("The option PendingStore is missing.");
            this.store = store;
            this.areHarmlessTwice = areHarmlessTwice;
        }

        internal async Task<T> DoAsync<T>(Call call, Func<Call, Task<T>> send)
        {
            var deed = await BeginAsync(call);
            var answer = await SettleAsync(deed, () => send(call));
            await store.RemoveAsync(deed);
            return answer;
        }

        /// <summary>Writes the deed down. If it was there, an earlier call with the same key may have been done.</summary>
        internal async Task<PendingDeed> BeginAsync(Call call)
        {
            var deed = new PendingDeed(call);
            var earlier = await store.FindAsync(deed.Id);
            if (earlier == null || (areHarmlessTwice && earlier.RequestId == null && !earlier.CanBeRepeated))
            {
                await store.SaveAsync(deed);
                return deed;
            }
            if (earlier.Body != deed.Body)
                throw new InvalidOperationException("This idempotency key is in use for another deed, whose outcome is not known yet.");
            if (!areHarmlessTwice && !earlier.CanBeRepeated)
                throw new InvalidOperationException("The outcome of this deed is unknown, and the service has forgotten its key. Look whether it was done.");
            call.IsUnsure = true;
            return earlier;
        }

        /// <summary>Removes the deed if the service refuses it. If its outcome stays unknown, or the caller stops waiting, it is kept.</summary>
        internal async Task<T> SettleAsync<T>(PendingDeed deed, Func<Task<T>> send)
        {
            ProblemException refusal;
            try
            {
                return await send();
            }
            catch (ProblemException thrown)
            {
                refusal = thrown;
            }
            await store.RemoveAsync(deed);
            System.Runtime.ExceptionServices.ExceptionDispatchInfo.Capture(refusal).Throw();
            throw refusal;
        }
    }
}
