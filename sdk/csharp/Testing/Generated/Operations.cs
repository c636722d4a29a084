// Written by scripts/write-emulator-api.ts from the controls of the emulator: run npm run generate.
namespace Quarters.Testing
{
    internal static class Operations
    {
        /// <summary>The clock, the chain and the snapshots.</summary>
        internal static readonly Operation ReadState = new Operation("GET", "/state");

        /// <summary>Goes back to a snapshot, or to the state after the start. Calls under way have a second to end; new ones wait.</summary>
        internal static readonly Operation Reset = new Operation("POST", "/reset");

        /// <summary>Keeps the state under a name, once every payment is settled.</summary>
        internal static readonly Operation TakeSnapshot = new Operation("POST", "/snapshots");

        /// <summary>Answers when no payment is on its way and the ledger has the newest block.</summary>
        internal static readonly Operation Settle = new Operation("POST", "/settle");

        /// <summary>The newest calls, requests, events and blocks.</summary>
        internal static readonly Operation ReadHappened = new Operation("GET", "/happened");

        /// <summary>Moves the clock forward to a time. Answers when all that fell due until then has happened, in order.</summary>
        internal static readonly Operation SetTime = new Operation("POST", "/time/set");

        /// <summary>Moves the clock forward by a duration. Answers when all that fell due until then has happened, in order.</summary>
        internal static readonly Operation AdvanceTime = new Operation("POST", "/time/advance");

        /// <summary>Lets the clock stand still, until it goes on or is moved. Each block is a second later than the one before, as Ethereum demands.</summary>
        internal static readonly Operation FreezeTime = new Operation("POST", "/time/freeze");

        /// <summary>Lets the clock go on from where it stands.</summary>
        internal static readonly Operation LetTimeGoOn = new Operation("POST", "/time/go-on");

        /// <summary>Makes an app. Its quarters can be spent when this answers.</summary>
        internal static readonly Operation CreateApp = new Operation("POST", "/apps");

        /// <summary>Makes a guest of an app, or a full user who has agreed to all that it may do. Their quarters can be spent when this answers.</summary>
        internal static readonly Operation CreatePlayer = new Operation("POST", "/players");

        /// <summary>The player approves a request on its page, with a sign-in of a moment ago.</summary>
        internal static readonly Operation Approve = new Operation("POST", "/players/{player}/approve");

        /// <summary>The player declines a request on its page.</summary>
        internal static readonly Operation Decline = new Operation("POST", "/players/{player}/decline");

        /// <summary>The player reports a request to the operator. It does not change.</summary>
        internal static readonly Operation ReportProblem = new Operation("POST", "/players/{player}/reports-problem");

        /// <summary>The guest becomes a full user, with the same account. Its tokens end, and these are new.</summary>
        internal static readonly Operation SignUp = new Operation("POST", "/players/{player}/sign-up");

        /// <summary>The full user closes the account for good.</summary>
        internal static readonly Operation CloseAccount = new Operation("POST", "/players/{player}/closes-account");

        /// <summary>The full user sends quarters to an address outside, which is confirmed already.</summary>
        internal static readonly Operation Withdraw = new Operation("POST", "/players/{player}/withdraws");

        /// <summary>Says when blocks are made: as soon as a transaction waits, on command only, or one in so many milliseconds.</summary>
        internal static readonly Operation SetBlocks = new Operation("POST", "/chain/blocks");

        /// <summary>Makes blocks, of which the first has all transactions that wait. Answers when the service has seen them.</summary>
        internal static readonly Operation Mine = new Operation("POST", "/chain/mine");

        /// <summary>Replaces the newest blocks by others with the same transactions, but for those left out, and later ones of their senders. The service sends these again.</summary>
        internal static readonly Operation Reorganize = new Operation("POST", "/chain/reorganize");

        /// <summary>Sets what a unit of gas costs, in gwei, from a block on that is made at once. Null: as the chain has it.</summary>
        internal static readonly Operation SetFees = new Operation("POST", "/chain/fees");

        /// <summary>Cuts the service off from its node, until chain/up.</summary>
        internal static readonly Operation ChainDown = new Operation("POST", "/chain/down");

        /// <summary>Connects the service with its node again.</summary>
        internal static readonly Operation ChainUp = new Operation("POST", "/chain/up");

        /// <summary>Decides what the next calls of an operation come to. Of several outcomes that fit a call, it gets the oldest.</summary>
        internal static readonly Operation ArmOutcome = new Operation("POST", "/outcomes");

        /// <summary>Lists the outcomes that no call has got yet.</summary>
        internal static readonly Operation ListOutcomes = new Operation("GET", "/outcomes");

        /// <summary>Lets all calls come to what they would in life.</summary>
        internal static readonly Operation ForgetOutcomes = new Operation("DELETE", "/outcomes");

        /// <summary>Sends no event from now on. Each one waits, as if it had just happened.</summary>
        internal static readonly Operation HoldWebhooks = new Operation("POST", "/webhooks/hold");

        /// <summary>Sends what was held, one after the other. Says how many deliveries that are, and the seed of their order.</summary>
        internal static readonly Operation ReleaseWebhooks = new Operation("POST", "/webhooks/release");

        /// <summary>Lets the next deliveries arrive twice, each with the same webhook-id.</summary>
        internal static readonly Operation DuplicateWebhooks = new Operation("POST", "/webhooks/duplicate");

        /// <summary>Lets the next deliveries be sent later, by the emulator's clock.</summary>
        internal static readonly Operation DelayWebhooks = new Operation("POST", "/webhooks/delay");

        /// <summary>Loses the next deliveries on their way. The service tries them again as in life, first after some five seconds.</summary>
        internal static readonly Operation DropWebhooks = new Operation("POST", "/webhooks/drop");

        /// <summary>Answers when no event is due or under way but for those that are held. What is delayed, or tried again, is due later.</summary>
        internal static readonly Operation DeliverWebhooks = new Operation("POST", "/webhooks/delivered");

        /// <summary>Says whose events are held, and what the next deliveries come to.</summary>
        internal static readonly Operation ReadWebhooks = new Operation("GET", "/webhooks");

        /// <summary>Lets all events be delivered as in life. Those that were held are sent.</summary>
        internal static readonly Operation ForgetWebhooks = new Operation("DELETE", "/webhooks");
    }
}
