using System;
using System.Threading.Tasks;
using Newtonsoft.Json.Linq;

namespace Quarters.Testing
{
    /// <summary>The next calls of an operation. What they come to is said last.</summary>
    public sealed class NextCalls
    {
        private readonly ControlCalls calls;
        private readonly ArmOutcomeInput armed;

        internal NextCalls(ControlCalls calls, ArmOutcomeInput armed)
        {
            this.calls = calls;
            this.armed = armed;
        }

        /// <summary>Only calls of this app.</summary>
        public NextCalls ForApp(string appId)
        {
            var copy = Copy();
            copy.App = appId;
            return new NextCalls(calls, copy);
        }

        /// <summary>How many calls, 1 by default.</summary>
        public NextCalls Times(int times)
        {
            var copy = Copy();
            copy.Times = times;
            return new NextCalls(calls, copy);
        }

        /// <summary>Only calls about so many quarters.</summary>
        public NextCalls OfAmount(long quarters)
        {
            var copy = Copy();
            copy.Amount = quarters;
            return new NextCalls(calls, copy);
        }

        /// <summary>The call is refused with this problem code, and does nothing.</summary>
        public Task FailsAsync(string code)
        {
            return ArmAsync("fails", code);
        }

        /// <summary>The call is done, and its answer comes later.</summary>
        public Task AnswersAfterAsync(TimeSpan time)
        {
            return ArmAsync("answersAfter", (long)time.TotalMilliseconds);
        }

        /// <summary>The call is done, and the connection breaks before its answer.</summary>
        public Task IsAcceptedButTheAnswerIsLostAsync()
        {
            return ArmAsync("answerIsLost", true);
        }

        /// <summary>The payment is accepted, and its transaction fails on the chain.</summary>
        public Task IsRevertedOnChainAsync()
        {
            return ArmAsync("isRevertedOnChain", true);
        }

        /// <summary>The payment completes, and a reorganisation takes it back.</summary>
        public Task IsReorganizedAwayAsync()
        {
            return ArmAsync("isReorganizedAway", true);
        }

        private Task ArmAsync(string what, JToken value)
        {
            var copy = Copy();
            copy.Outcome = new JObject { [what] = value };
            return calls.CallAsync(Operations.ArmOutcome, copy.ToJson());
        }

        private ArmOutcomeInput Copy()
        {
            return new ArmOutcomeInput { Operation = armed.Operation, App = armed.App, Times = armed.Times, Amount = armed.Amount };
        }
    }
}
