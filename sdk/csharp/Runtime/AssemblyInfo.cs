using System.Runtime.CompilerServices;

// The server's client shares the calls and their retries. It is another assembly, so that no game holds a server API key by mistake.
[assembly: InternalsVisibleTo("Quarters.Server")]
