using System.Collections;
using System.Threading.Tasks;

namespace Quarters.Testing
{
    /// <summary>For test runners that wait for coroutines, as Unity's does in <c>[UnityTest]</c> and <c>[UnitySetUp]</c>.</summary>
    public static class TaskCoroutine
    {
        /// <summary>Ends when the task has ended, and throws what it has thrown.</summary>
        public static IEnumerator AsCoroutine(this Task task)
        {
            while (!task.IsCompleted) yield return null;
            task.GetAwaiter().GetResult();
        }
    }
}
