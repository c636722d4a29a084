using System;

namespace Quarters.Testing
{
    /// <summary>The emulator could not be started or reached, or it did not do an operation to its end. After a status of 400 or 401 it has done nothing.</summary>
    public sealed class EmulatorException : Exception
    {
        internal EmulatorException(string message, Exception inner = null) : base(message, inner) { }

        internal EmulatorException(int status, string code, string message) : base(message)
        {
            Status = status;
            Code = code;
        }

        /// <summary>The HTTP status of an answer, and otherwise 0.</summary>
        public int Status { get; }

        /// <summary><c>refused</c>, <c>invalid-input</c>, <c>token-invalid</c>, <c>not-found</c>, <c>internal</c>, or a problem code of the API. Null without an answer.</summary>
        public string Code { get; }
    }
}
