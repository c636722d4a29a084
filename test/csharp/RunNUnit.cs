// NUnit's console, whose program Debian does not have, but its library.
public static class RunNUnit
{
    public static int Main(string[] arguments)
    {
        return NUnit.ConsoleRunner.Runner.Main(arguments);
    }
}
