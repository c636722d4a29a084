// A thin set of stubs of Unity's types, so that the files for Unity are compiled in tests. They show that names and types fit the engine's
// documentation of 2021.3. They do not run, and do not replace a try in the engine.
using System;

namespace UnityEngine
{
    public class Object
    {
        public string name { get; set; }
        public static void DontDestroyOnLoad(Object target) { }
    }

    public class Component : Object { }
    public class Behaviour : Component { }
    public class MonoBehaviour : Behaviour { }

    public sealed class GameObject : Object
    {
        public GameObject(string name) { }
        public T AddComponent<T>() where T : Component { return null; }
    }

    public static class Application
    {
        public static event Action<string> deepLinkActivated { add { } remove { } }
        public static string absoluteURL { get { return ""; } }
        public static string persistentDataPath { get { return ""; } }
        public static void OpenURL(string url) { }
    }

    public static class Debug
    {
        public static void LogException(Exception exception) { }
    }

    public static class PlayerPrefs
    {
        public static string GetString(string key) { return ""; }
        public static string GetString(string key, string defaultValue) { return defaultValue; }
        public static void SetString(string key, string value) { }
        public static bool HasKey(string key) { return false; }
        public static void DeleteKey(string key) { }
        public static void Save() { }
    }

    public sealed class GUILayoutOption { }

    public static class GUILayout
    {
        public static bool Button(string text, params GUILayoutOption[] options) { return false; }
        public static void Label(string text, params GUILayoutOption[] options) { }
    }

    public static class GUI
    {
        public static bool enabled { get; set; }
    }

    [AttributeUsage(AttributeTargets.Field)]
    public sealed class SerializeField : Attribute { }

    public class AsyncOperation
    {
        public event Action<AsyncOperation> completed { add { } remove { } }
    }
}

namespace UnityEngine.Scripting
{
    public class PreserveAttribute : Attribute { }
}

namespace UnityEngine.Networking
{
    public class UnityWebRequestAsyncOperation : AsyncOperation { }

    public class DownloadHandler
    {
        public string text { get { return ""; } }
    }

    public sealed class DownloadHandlerBuffer : DownloadHandler { }

    public class UploadHandler
    {
        public string contentType { get; set; }
    }

    public sealed class UploadHandlerRaw : UploadHandler
    {
        public UploadHandlerRaw(byte[] data) { }
    }

    public class UnityWebRequest : IDisposable
    {
        public enum Result { InProgress, Success, ConnectionError, ProtocolError, DataProcessingError }

        public UnityWebRequest(Uri uri, string method) { }
        public DownloadHandler downloadHandler { get; set; }
        public UploadHandler uploadHandler { get; set; }
        public int redirectLimit { get; set; }
        public int timeout { get; set; }
        public long responseCode { get { return 0; } }
        public Result result { get { return Result.InProgress; } }
        public string error { get { return ""; } }
        public void SetRequestHeader(string name, string value) { }
        public string GetResponseHeader(string name) { return null; }
        public UnityWebRequestAsyncOperation SendWebRequest() { return null; }
        public void Abort() { }
        public void Dispose() { }
    }
}
