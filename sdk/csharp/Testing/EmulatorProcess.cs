using System;
using System.ComponentModel;
using System.Diagnostics;
using System.IO;
using System.Linq;
using System.Text;
using System.Threading.Tasks;
using Newtonsoft.Json;
using Newtonsoft.Json.Linq;

namespace Quarters.Testing
{
    /// <summary>The emulator as a child process. It sees by its standard input that this process has ended, however that ends.</summary>
    internal sealed class EmulatorProcess
    {
        private readonly Process process;
        private readonly StringBuilder said = new StringBuilder();
        private Task errors;
        private Task output;

        private EmulatorProcess(Process process)
        {
            this.process = process;
        }

        /// <summary>Its first line of output: addresses and the token.</summary>
        internal JObject StartLine { get; private set; }

        internal static async Task<EmulatorProcess> StartAsync(StartOptions options)
        {
            var words = options.Command.Skip(1).Concat(new[] { "emulator", "--with-parent" }).Concat(options.Arguments);
            var info = new ProcessStartInfo(options.Command[0], string.Join(" ", words.Select(Quoted)))
            {
                WorkingDirectory = options.Folder,
                UseShellExecute = false,
                CreateNoWindow = true,
                RedirectStandardInput = true,
                RedirectStandardOutput = true,
                RedirectStandardError = true,
            };
            foreach (var setting in options.Settings) info.EnvironmentVariables[setting.Key] = setting.Value;
            var started = new EmulatorProcess(StartProcess(info));
            started.errors = started.ReadToEndAsync(started.process.StandardError);
            started.StartLine = await started.ReadStartLineAsync().ConfigureAwait(false);
            started.output = started.ReadToEndAsync(started.process.StandardOutput);
            return started;
        }

        /// <summary>Ends it, and returns when it has ended.</summary>
        internal void Stop()
        {
            process.StandardInput.Close();
            process.WaitForExit();
            Task.WaitAll(errors, output);
            process.Dispose();
        }

        private static Process StartProcess(ProcessStartInfo info)
        {
            try
            {
                return Process.Start(info);
            }
            catch (Win32Exception error)
            {
                throw new EmulatorException("The emulator could not be started: " + info.FileName + " cannot be run.", error);
            }
        }

        private async Task<JObject> ReadStartLineAsync()
        {
            var line = await process.StandardOutput.ReadLineAsync().ConfigureAwait(false);
            try
            {
                if (line != null) return Json.Read(line);
            }
            catch (JsonException)
            {
                process.StandardInput.Close();
                process.Kill();
            }
            await errors.ConfigureAwait(false);
            throw new EmulatorException("The emulator did not start. " + line + said);
        }

        /// <summary>To the end, or a full pipe would stop the emulator.</summary>
        private async Task ReadToEndAsync(StreamReader stream)
        {
            string line;
            while ((line = await stream.ReadLineAsync().ConfigureAwait(false)) != null)
                // What explains a failed start.
                if (StartLine == null) said.AppendLine(line);
        }

        /// <summary>As programs of C, and Windows, read an argument.</summary>
        private static string Quoted(string word)
        {
            if (word != "" && word.All(letter => letter != ' ' && letter != '"')) return word;
            return "\"" + word.Replace("\\", "\\\\").Replace("\"", "\\\"") + "\"";
        }
    }
}
