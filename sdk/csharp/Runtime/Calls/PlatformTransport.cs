namespace Quarters
{
    internal static class PlatformTransport
    {
        internal static ITransport New()
        {
#if UNITY_5_3_OR_NEWER && !UNITY_SERVER
            return new UnityWebRequestTransport();
#else
            return new HttpClientTransport();
#endif
        }
    }
}
