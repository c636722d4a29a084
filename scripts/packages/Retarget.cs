// Makes an assembly that Mono compiled one of .NET Standard 2.0: `mono Retarget.exe from.dll to.dll`.
// Mono compiles against assemblies of .NET Framework, and Debian's Newtonsoft.Json has another key than NuGet's. So their names are
// replaced by those that a program has. The types and members stay the same, and so do the bytes of two runs.
using System;
using System.Collections.Generic;
using System.Linq;
using Mono.Cecil;

public static class Retarget
{
    private static readonly HashSet<string> Framework = new HashSet<string> { "mscorlib", "System", "System.Core", "System.Net.Http" };

    /// <summary>As the packages of NuGet name them.</summary>
    private static readonly Dictionary<string, AssemblyNameReference> OfNuGet = new[]
    {
        Named("Newtonsoft.Json", "13.0.0.0", "30ad4fe6b2a6aeed"),
    }.ToDictionary(assembly => assembly.Name);

    public static void Main(string[] args)
    {
        var module = ModuleDefinition.ReadModule(args[0]);
        var standard = Named("netstandard", "2.0.0.0", "cc7b13ffcd2ddd51");
        module.AssemblyReferences.Add(standard);
        foreach (var type in module.GetTypeReferences())
        {
            var assembly = type.Scope as AssemblyNameReference;
            if (assembly != null && Framework.Contains(assembly.Name)) type.Scope = standard;
        }
        foreach (var assembly in module.AssemblyReferences.ToArray())
        {
            AssemblyNameReference other;
            if (Framework.Contains(assembly.Name)) module.AssemblyReferences.Remove(assembly);
            else if (OfNuGet.TryGetValue(assembly.Name, out other)) Rename(assembly, other);
            // Ours have no key.
            else if (assembly != standard && assembly.PublicKeyToken.Length > 0) throw new InvalidOperationException("What is " + assembly + " on NuGet?");
        }
        module.Write(args[1], new WriterParameters { DeterministicMvid = true, Timestamp = 0 });
    }

    private static AssemblyNameReference Named(string name, string version, string token)
    {
        var bytes = Enumerable.Range(0, token.Length / 2).Select(i => Convert.ToByte(token.Substring(2 * i, 2), 16)).ToArray();
        return new AssemblyNameReference(name, new Version(version)) { PublicKeyToken = bytes };
    }

    private static void Rename(AssemblyNameReference assembly, AssemblyNameReference to)
    {
        assembly.Version = to.Version;
        assembly.PublicKeyToken = to.PublicKeyToken;
    }
}
