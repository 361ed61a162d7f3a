// What Roslyn, the C# compiler, resolves: every symbol of a repository and the lines that use it, one JSON
// row each, for code_refs_languages.py. With the .NET 10 SDK:
//   dotnet run code_refs_csharp.cs -- ROOT > truth.jsonl
// Without one: any .NET 8+ runtime with Microsoft.CodeAnalysis.CSharp 4.8 or newer beside the program.
// Packages are not restored: names that depend on a foreign type Roslyn does not know stay unbound, and
// their lines are listed as "either", as are those of branches that are not compiled.
#:sdk Microsoft.NET.Sdk.Web
#:package Microsoft.CodeAnalysis.CSharp@4.14.0
#:property PublishAot=false

using System;
using System.Collections.Generic;
using System.Collections.Immutable;
using System.IO;
using System.Linq;
using System.Text.Json;
using System.Text.RegularExpressions;
using System.Xml.Linq;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;

var root = Path.GetFullPath(args[0]).TrimEnd('/');
var projects = Project.Find(root);
var truth = new Truth(root);
foreach (var project in projects) truth.Read(project);
truth.Write(Console.Out);
Console.Error.WriteLine($"{projects.Count} projects, {truth.Bound} names bound, {truth.Unbound} not");

/// <summary>The files that are compiled together.</summary>
sealed class Project
{
    static readonly string[] Usings =
    {
        "System", "System.Collections.Generic", "System.IO", "System.Linq", "System.Net.Http",
        "System.Threading", "System.Threading.Tasks",
    };

    static readonly string[] WebUsings =
    {
        "System.Net.Http.Json", "Microsoft.AspNetCore.Builder", "Microsoft.AspNetCore.Hosting",
        "Microsoft.AspNetCore.Http", "Microsoft.AspNetCore.Routing", "Microsoft.Extensions.Configuration",
        "Microsoft.Extensions.DependencyInjection", "Microsoft.Extensions.Hosting",
        "Microsoft.Extensions.Logging",
    };

    public string File = "", Name = "", Text = "";
    public List<string> Sources = new();
    CSharpCompilation? compiled;
    bool compiling;

    public static List<Project> Find(string root)
    {
        var files = Directory.EnumerateFiles(root, "*.csproj", SearchOption.AllDirectories).OrderBy(p => p).ToList();
        var found = files.Select(path => new Project { File = path, Name = Path.GetFileNameWithoutExtension(path), Text = System.IO.File.ReadAllText(path) }).ToList();
        var rest = new Project { File = Path.Combine(root, "rest"), Name = "rest" };
        foreach (var path in Directory.EnumerateFiles(root, "*.cs", SearchOption.AllDirectories).OrderBy(p => p))
        {
            if (Regex.IsMatch(path[root.Length..], "/(bin|obj|\\.git)/")) continue;
            var around = found.Where(p => path.StartsWith(Path.GetDirectoryName(p.File) + "/")).OrderByDescending(p => p.File.Length).ToList();
            var depth = around.Count > 0 ? Path.GetDirectoryName(around[0].File)!.Length : 0;
            // Several project files of one folder compile the same sources.
            var nearest = around.Where(p => Path.GetDirectoryName(p.File)!.Length == depth).Take(1).DefaultIfEmpty(rest);
            foreach (var project in nearest) project.Sources.Add(path);
        }
        foreach (var project in found) project.Include(root);
        found.Add(rest);
        All = found;
        Props = string.Concat(Directory.EnumerateFiles(root, "*.props", SearchOption.AllDirectories).Select(System.IO.File.ReadAllText));
        return found.Where(p => p.Sources.Count > 0).ToList();
    }

    static List<Project> All = new();
    static string Props = "";

    /// <summary>Files of other folders that the project says it compiles.</summary>
    void Include(string root)
    {
        foreach (Match match in Regex.Matches(Text, "<Compile\\s[^>]*?Include=\"([^\"]+)\""))
        {
            var pattern = match.Groups[1].Value.Replace('\\', '/');
            if (pattern.Contains('$') || !pattern.StartsWith("..")) continue;
            var folder = Path.GetDirectoryName(File)!;
            while (pattern.StartsWith("../")) { folder = Path.GetDirectoryName(folder) ?? "/"; pattern = pattern[3..]; }
            var like = "^" + Regex.Escape(folder + "/" + pattern).Replace("\\*\\*/", "(.*/)?").Replace("\\*", "[^/]*") + "$";
            if (!folder.StartsWith(root)) continue;
            foreach (var path in Directory.EnumerateFiles(folder, "*.cs", SearchOption.AllDirectories))
                if (Regex.IsMatch(path, like) && !Sources.Contains(path)) Sources.Add(path);
        }
    }

    public CSharpCompilation Compile()
    {
        if (compiled != null) return compiled;
        compiling = true;
        var options = new CSharpParseOptions(LanguageVersion.Preview, DocumentationMode.None, SourceCodeKind.Regular, Symbols());
        var trees = Sources.Select(path => CSharpSyntaxTree.ParseText(System.IO.File.ReadAllText(path), options, path)).ToList();
        trees.Add(CSharpSyntaxTree.ParseText(Around(), options, ""));
        var built = CSharpCompilation.Create(Name, trees, References(), new CSharpCompilationOptions(OutputKind.DynamicallyLinkedLibrary, allowUnsafe: true, nullableContextOptions: NullableContextOptions.Disable));
        compiling = false;
        return compiled = built;
    }

    /// <summary>What the build writes into a project: its usings, and who sees its internals.</summary>
    string Around()
    {
        var props = Text;
        for (var folder = Path.GetDirectoryName(File); folder != null; folder = Path.GetDirectoryName(folder))
            foreach (var name in new[] { "Directory.Build.props", "Directory.Build.targets" })
                if (System.IO.File.Exists(Path.Combine(folder, name))) props += System.IO.File.ReadAllText(Path.Combine(folder, name));
        var usings = new List<string>();
        if (Regex.IsMatch(Text + Props, "<ImplicitUsings>\\s*(enable|true)", RegexOptions.IgnoreCase))
            usings.AddRange(Text.Contains("Sdk.Web") ? Usings.Concat(WebUsings) : Usings);
        var lines = Regex.Matches(props, "<Using\\s[^>]*Include=\"([^\"]+)\"([^>]*)").Select(m => (m.Groups[1].Value, m.Groups[2].Value));
        var text = string.Concat(usings.Distinct().Select(u => $"global using global::{u};\n"));
        foreach (var (name, rest) in lines)
        {
            var alias = Regex.Match(rest, "Alias=\"([^\"]+)\"");
            text += $"global using {(rest.Contains("Static=") ? "static " : "")}{(alias.Success ? alias.Groups[1].Value + " = " : "")}{name};\n";
        }
        return text + string.Concat(All.Select(p => $"[assembly: System.Runtime.CompilerServices.InternalsVisibleTo(\"{p.Name}\")]\n"));
    }

    IEnumerable<MetadataReference> References()
    {
        var ours = All.Select(p => p.Name).ToHashSet();
        var found = ((string)AppContext.GetData("TRUSTED_PLATFORM_ASSEMBLIES")!).Split(Path.PathSeparator)
            .Where(p => p.EndsWith(".dll") && !ours.Contains(Path.GetFileNameWithoutExtension(p)) && System.IO.File.Exists(p))
            .Select(p => (MetadataReference)MetadataReference.CreateFromFile(p)).ToList();
        var seen = new HashSet<Project> { this };
        Reach(seen);
        found.AddRange(seen.Where(p => p != this && !p.compiling).Select(p => p.Compile().ToMetadataReference()));
        return found;
    }

    /// <summary>Projects that this one refers to, and what these refer to.</summary>
    void Reach(HashSet<Project> seen)
    {
        foreach (Match match in Regex.Matches(Text, "<ProjectReference\\s[^>]*?Include=\"([^\"]+)\""))
        {
            var name = Path.GetFileNameWithoutExtension(match.Groups[1].Value.Replace('\\', '/'));
            var other = All.FirstOrDefault(p => p.Name == name);
            if (other != null && other.Sources.Count > 0 && seen.Add(other)) other.Reach(seen);
        }
    }

    static IEnumerable<string> Symbols()
    {
        yield return "NET";
        yield return "NETCOREAPP";
        yield return "NET8_0";
        yield return "TRACE";
        foreach (var version in new[] { "5", "6", "7", "8" }) yield return $"NET{version}_0_OR_GREATER";
        foreach (var version in new[] { "2_0", "2_1", "3_0", "3_1" }) yield return $"NETCOREAPP{version}_OR_GREATER";
        yield return "UNITY_5_3_OR_NEWER";
        yield return "UNITY_2019_1_OR_NEWER";
        yield return "UNITY_2020_1_OR_NEWER";
        yield return "UNITY_2021_1_OR_NEWER";
        yield return "UNITY_EDITOR";
    }
}

sealed record Place(string Path, int Line, int Column);

sealed class Row
{
    public string Name = "", Kind = "";
    public Place Definition = null!;
    public HashSet<Place> Uses = new(), Either = new();
}

sealed class Truth
{
    readonly string root;
    readonly Dictionary<(string, int), Row> rows = new();
    readonly Dictionary<string, HashSet<Place>> silent = new();
    public int Bound, Unbound;

    public Truth(string root) => this.root = root;

    public void Read(Project project)
    {
        var compilation = project.Compile();
        foreach (var tree in compilation.SyntaxTrees.Where(t => t.FilePath != ""))
        {
            var model = compilation.GetSemanticModel(tree);
            var whole = tree.GetRoot();
            foreach (var trivia in whole.DescendantTrivia().Where(t => t.IsKind(SyntaxKind.DisabledTextTrivia)))
                Leave(tree, trivia.SpanStart, trivia.ToString());
            foreach (var node in whole.DescendantNodes())
            {
                if (node is SimpleNameSyntax name && !name.IsVar && name.Identifier.Text.Length > 0) Use(model, name);
                if (Declared(model, node) is { } symbol) Known(symbol);
            }
        }
    }

    static ISymbol? Declared(SemanticModel model, SyntaxNode node) => node switch
    {
        ConstructorDeclarationSyntax or DestructorDeclarationSyntax or AnonymousObjectMemberDeclaratorSyntax => null,
        ParameterSyntax { Parent.Parent: RecordDeclarationSyntax record } p => (model.GetDeclaredSymbol(record) as INamedTypeSymbol)?.GetMembers(p.Identifier.Text).FirstOrDefault(m => m is IPropertySymbol && m.Locations.Any(l => l.SourceSpan == p.Identifier.Span)),
        BaseTypeDeclarationSyntax or MethodDeclarationSyntax or BasePropertyDeclarationSyntax or DelegateDeclarationSyntax or EnumMemberDeclarationSyntax or LocalFunctionStatementSyntax => model.GetDeclaredSymbol(node),
        VariableDeclaratorSyntax { Parent.Parent: BaseFieldDeclarationSyntax } => model.GetDeclaredSymbol(node),
        _ => null,
    };

    /// <summary>The row of a symbol of the repository that has a name.</summary>
    Row? Known(ISymbol symbol)
    {
        symbol = symbol is IMethodSymbol { ReducedFrom: { } whole } ? whole : symbol;
        symbol = symbol.OriginalDefinition;
        symbol = symbol is IMethodSymbol { PartialDefinitionPart: { } first } ? first : symbol;
        if (symbol is IMethodSymbol { MethodKind: MethodKind.Constructor or MethodKind.StaticConstructor }) symbol = symbol.ContainingType.OriginalDefinition;
        if (symbol is not (INamedTypeSymbol or IMethodSymbol or IPropertySymbol or IFieldSymbol or IEventSymbol)) return null;
        if (symbol is IMethodSymbol { MethodKind: not (MethodKind.Ordinary or MethodKind.LocalFunction) }) return null;
        if (symbol is IPropertySymbol { IsIndexer: true } || symbol.IsImplicitlyDeclared && symbol is not IPropertySymbol) return null;
        if (symbol.ContainingType is { IsTupleType: true } or { IsAnonymousType: true } || symbol is INamedTypeSymbol { IsTupleType: true } or INamedTypeSymbol { IsAnonymousType: true }) return null;
        var places = symbol.Locations.Where(l => l.IsInSource && l.SourceTree!.FilePath != "").OrderBy(l => l.SourceTree!.FilePath, StringComparer.Ordinal).ToList();
        if (places.Count == 0 || places[0].SourceSpan.Length == 0) return null;
        var key = (places[0].SourceTree!.FilePath, places[0].SourceSpan.Start);
        if (!rows.TryGetValue(key, out var row))
            rows[key] = row = new Row { Name = symbol.Name.Split('.').Last(), Kind = symbol.Kind.ToString().ToLowerInvariant(), Definition = At(places[0]) };
        foreach (var again in places.Skip(1)) row.Either.Add(At(again));
        return row;
    }

    void Use(SemanticModel model, SimpleNameSyntax name)
    {
        if (name.Parent is NameColonSyntax or NameEqualsSyntax && name.Parent.Parent is AnonymousObjectMemberDeclaratorSyntax) return;
        if (name.Identifier.Text == "nameof") return;
        var place = At(name.Identifier.GetLocation());
        var info = model.GetSymbolInfo(name);
        if (info.Symbol is { } symbol)
        {
            Bound++;
            if (symbol is IErrorTypeSymbol) Silent(name.Identifier.Text, place);
            else Known(symbol)?.Uses.Add(place);
            return;
        }
        if (model.GetAliasInfo(name) is { Target: { } target }) { Known(target)?.Uses.Add(place); return; }
        Unbound++;
        foreach (var candidate in info.CandidateSymbols) Known(candidate)?.Either.Add(place);
        Silent(name.Identifier.Text, place);
    }

    void Silent(string name, Place place)
    {
        if (!silent.TryGetValue(name, out var places)) silent[name] = places = new();
        places.Add(place);
    }

    void Leave(SyntaxTree tree, int start, string text)
    {
        foreach (Match word in Regex.Matches(text, "\\w+"))
            Silent(word.Value, At(Location.Create(tree, new Microsoft.CodeAnalysis.Text.TextSpan(start + word.Index, word.Length))));
    }

    Place At(Location location)
    {
        var span = location.GetLineSpan();
        return new Place(span.Path[(root.Length + 1)..], span.StartLinePosition.Line + 1, span.StartLinePosition.Character);
    }

    public void Write(TextWriter output)
    {
        foreach (var row in rows.OrderBy(r => r.Key.Item1, StringComparer.Ordinal).ThenBy(r => r.Key.Item2).Select(r => r.Value))
        {
            var either = row.Either.Concat(silent.GetValueOrDefault(row.Name) ?? new());
            output.WriteLine(JsonSerializer.Serialize(new
            {
                name = row.Name,
                kind = row.Kind,
                def = new { path = row.Definition.Path, line = row.Definition.Line, col = row.Definition.Column },
                refs = Lines(row.Uses),
                either = Lines(either),
            }));
        }
    }

    static object Lines(IEnumerable<Place> places) =>
        places.Select(p => (p.Path, p.Line)).Distinct().OrderBy(p => p).Select(p => new { path = p.Path, line = p.Line }).ToArray();
}
