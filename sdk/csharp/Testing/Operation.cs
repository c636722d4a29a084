namespace Quarters.Testing
{
    /// <summary>One operation of the control API.</summary>
    internal sealed class Operation
    {
        internal Operation(string method, string path)
        {
            Method = method;
            Path = path;
        }

        internal string Method { get; }
        internal string Path { get; }
    }
}
