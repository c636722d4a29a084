using System.Threading.Tasks;
using Newtonsoft.Json.Linq;

namespace Quarters.Testing
{
    /// <summary>A player, who does what players do on the pages of the service.</summary>
    public sealed class Player : CreatePlayerResult
    {
        private readonly ControlCalls calls;

        internal Player(ControlCalls calls, JObject json) : base(json)
        {
            this.calls = calls;
        }

        /// <summary>Pays what the game asks for. With a limit, the app may take so many quarters a day without asking from now on.</summary>
        public async Task<ApproveResult> ApproveAsync(string requestId, bool? askEveryTime = null, long? limit = null)
        {
            var input = new ApproveInput { Request = requestId, AskEveryTime = askEveryTime, Limit = limit };
            return new ApproveResult(await calls.CallAsync(Operations.Approve, input.ToJson(), Id).ConfigureAwait(false));
        }

        /// <summary>Refuses to pay.</summary>
        public async Task<DeclineResult> DeclineAsync(string requestId)
        {
            var input = new DeclineInput { Request = requestId };
            return new DeclineResult(await calls.CallAsync(Operations.Decline, input.ToJson(), Id).ConfigureAwait(false));
        }

        /// <summary>Tells the operator. The request does not change.</summary>
        public Task ReportsProblemAsync(string requestId, string reason = null, string text = null)
        {
            var input = new ReportProblemInput { Request = requestId, Reason = reason, Text = text };
            return calls.CallAsync(Operations.ReportProblem, input.ToJson(), Id);
        }

        /// <summary>A guest becomes a full user with the same account. The guest's tokens end: the player that this returns has new ones.</summary>
        public async Task<Player> SignUpAsync(string email = null, string displayName = null)
        {
            var input = new SignUpInput { Email = email, DisplayName = displayName };
            return new Player(calls, await calls.CallAsync(Operations.SignUp, input.ToJson(), Id).ConfigureAwait(false));
        }

        /// <summary>Closes the account for good.</summary>
        public Task ClosesAccountAsync()
        {
            return calls.CallAsync(Operations.CloseAccount, null, Id);
        }

        /// <summary>Sends quarters to an address outside.</summary>
        public async Task<WithdrawResult> WithdrawsAsync(string to, long amount)
        {
            var input = new WithdrawInput { To = to, Amount = amount };
            return new WithdrawResult(await calls.CallAsync(Operations.Withdraw, input.ToJson(), Id).ConfigureAwait(false));
        }
    }
}
