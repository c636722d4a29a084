using System;
using System.Collections.Generic;

namespace Quarters.Testing
{
    /// <summary>How <see cref="Emulator.StartAsync"/> starts an emulator.</summary>
    public sealed class StartOptions
    {
        /// <summary>What runs the commands of Quarters. By default <c>npx --no quarters</c>, which takes the package from <see cref="Folder"/>.</summary>
        public IReadOnlyList<string> Command { get; set; } = new[] { IsWindows ? "npx.cmd" : "npx", "--no", "quarters" };

        /// <summary>More arguments of <c>quarters emulator</c>, such as <c>--port 8080</c>.</summary>
        public IReadOnlyList<string> Arguments { get; set; } = new string[0];

        /// <summary>Where the package is installed; by default the folder of this process, which in Unity is the project's.</summary>
        public string Folder { get; set; } = "";

        /// <summary>Settings of the service, beside the environment of this process.</summary>
        public IReadOnlyDictionary<string, string> Settings { get; set; } = new Dictionary<string, string>();

        private static bool IsWindows
        {
            get { return Environment.OSVersion.Platform == PlatformID.Win32NT; }
        }
    }
}
