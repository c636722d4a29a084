// Gives Debian's Newtonsoft.Json the name that NuGet's has: `mono StandIn.exe from.dll to.dll`. Mono checks names, and no signatures.
using System;
using System.Linq;
using Mono.Cecil;

public static class StandIn
{
    // Of the package Newtonsoft.Json: its token is 30ad4fe6b2a6aeed.
    private const string PublicKey =
        "0024000004800000940000000602000000240000525341310004000001000100f561df277c6c0b497d629032b410cdcf286e537c054724f7ffa0164345f62b3e6"
        + "42029d7a80cc351918955328c4adc8a048823ef90b0cf38ea7db0d729caf2b633c3babe08b0310198c1081995c19029bc675193744eab9d7345b8a67258ec17"
        + "d112cebdbbb2a281487dceeafb9d83aa930f32103fbe1d2911425bc5744002c7";

    public static void Main(string[] args)
    {
        var module = ModuleDefinition.ReadModule(args[0]);
        module.Assembly.Name.Version = new Version("13.0.0.0");
        module.Assembly.Name.PublicKey = Enumerable.Range(0, PublicKey.Length / 2)
            .Select(i => Convert.ToByte(PublicKey.Substring(2 * i, 2), 16))
            .ToArray();
        module.Write(args[1]);
    }
}
