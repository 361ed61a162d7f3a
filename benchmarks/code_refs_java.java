import com.sun.source.tree.*;
import com.sun.source.util.*;
import java.io.File;
import java.nio.file.*;
import java.util.*;
import java.util.stream.*;
import javax.lang.model.element.*;
import javax.tools.*;

/** References as javac resolves them: {@code java code_refs_java.java ROOT > TRUTH.jsonl}, JDK 17 or newer. */
class References {
    record Place(String path, long line, long column) {}

    static final Map<Element, Place> declared = new LinkedHashMap<>();
    static final Map<Element, Set<Place>> used = new HashMap<>();

    public static void main(String[] arguments) throws Exception {
        Path root = Path.of(arguments[0]).toAbsolutePath().normalize();
        List<File> files;
        try (Stream<Path> found = Files.walk(root)) {
            files = found.filter(p -> p.toString().endsWith(".java") && !p.endsWith("module-info.java"))
                .sorted().map(Path::toFile).toList();
        }
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        StandardJavaFileManager manager = compiler.getStandardFileManager(null, null, null);
        // Errors (a missing dependency, say) leave the rest of a file attributed.
        JavacTask task = (JavacTask) compiler.getTask(null, manager, problem -> {},
            List.of("-proc:none", "-XDshould-stop.ifError=FLOW"), null, manager.getJavaFileObjectsFromFiles(files));
        List<CompilationUnitTree> units = new ArrayList<>();
        task.parse().forEach(units::add);
        task.analyze();
        for (CompilationUnitTree unit : units) {
            new Reader(unit, Trees.instance(task), root).scan(unit, null);
        }
        for (var entry : declared.entrySet()) {
            System.out.println(row(entry.getKey(), entry.getValue()));
        }
    }

    static String row(Element element, Place at) {
        String name = element.getKind() == ElementKind.CONSTRUCTOR ? "<init>" : element.getSimpleName().toString();
        String refs = used.getOrDefault(element, Set.of()).stream().filter(p -> !p.equals(at))
            .map(p -> "{\"path\": \"%s\", \"line\": %d}".formatted(p.path(), p.line())).distinct()
            .collect(Collectors.joining(", "));
        return "{\"name\": \"%s\", \"kind\": \"%s\", \"def\": {\"path\": \"%s\", \"line\": %d, \"col\": %d}, \"refs\": [%s]}"
            .formatted(name, element.getKind().toString().toLowerCase(), at.path(), at.line(), at.column(), refs);
    }

    static class Reader extends TreePathScanner<Void, Void> {
        final CompilationUnitTree unit;
        final Trees trees;
        final String path;
        final String text;

        Reader(CompilationUnitTree unit, Trees trees, Path root) throws Exception {
            this.unit = unit;
            this.trees = trees;
            this.path = root.relativize(Path.of(unit.getSourceFile().toUri())).toString();
            this.text = unit.getSourceFile().getCharContent(true).toString();
        }

        Place place(long offset) {
            LineMap lines = unit.getLineMap();
            return new Place(path, lines.getLineNumber(offset), offset - lines.getStartPosition(lines.getLineNumber(offset)));
        }

        void declare(Tree tree, CharSequence name) {
            Element element = trees.getElement(getCurrentPath());
            long start = trees.getSourcePositions().getStartPosition(unit, tree);
            if (element == null || start < 0) return;
            long from = tree instanceof ClassTree c ? after(c.getModifiers(), start) : tree instanceof MethodTree m
                ? after(m.getReturnType() != null ? m.getReturnType() : m.getModifiers(), start)
                : tree instanceof VariableTree v && v.getType() != null ? after(v.getType(), start) : start;
            int offset = word(name, (int) from);
            if (offset >= 0) declared.putIfAbsent(element, place(offset));
        }

        long after(Tree tree, long otherwise) {
            long end = trees.getSourcePositions().getEndPosition(unit, tree);
            return end < 0 ? otherwise : end;
        }

        int word(CharSequence name, int from) {
            for (int at = text.indexOf(name.toString(), from); at >= 0; at = text.indexOf(name.toString(), at + 1)) {
                int end = at + name.length();
                if ((at == 0 || !Character.isJavaIdentifierPart(text.charAt(at - 1)))
                    && (end >= text.length() || !Character.isJavaIdentifierPart(text.charAt(end)))) return at;
            }
            return -1;
        }

        void use(CharSequence name, long from) {
            Element element = trees.getElement(getCurrentPath());
            if (element == null || from < 0) return;
            int offset = word(name, (int) from);
            if (offset < 0) return;
            used.computeIfAbsent(element, e -> new LinkedHashSet<>()).add(place(offset));
        }

        @Override public Void visitClass(ClassTree tree, Void nothing) {
            if (!tree.getSimpleName().isEmpty()) declare(tree, tree.getSimpleName());
            return super.visitClass(tree, nothing);
        }

        @Override public Void visitMethod(MethodTree tree, Void nothing) {
            Element element = trees.getElement(getCurrentPath());
            if (element != null && element.getKind() == ElementKind.METHOD) declare(tree, tree.getName());
            return super.visitMethod(tree, nothing);
        }

        @Override public Void visitVariable(VariableTree tree, Void nothing) {
            Element element = trees.getElement(getCurrentPath());
            if (element != null && (element.getKind().isField())) declare(tree, tree.getName());
            return super.visitVariable(tree, nothing);
        }

        @Override public Void visitIdentifier(IdentifierTree tree, Void nothing) {
            use(tree.getName(), trees.getSourcePositions().getStartPosition(unit, tree));
            return super.visitIdentifier(tree, nothing);
        }

        @Override public Void visitMemberSelect(MemberSelectTree tree, Void nothing) {
            use(tree.getIdentifier(), trees.getSourcePositions().getEndPosition(unit, tree.getExpression()));
            return super.visitMemberSelect(tree, nothing);
        }

        @Override public Void visitMemberReference(MemberReferenceTree tree, Void nothing) {
            use(tree.getName(), trees.getSourcePositions().getEndPosition(unit, tree.getQualifierExpression()));
            return super.visitMemberReference(tree, nothing);
        }
    }
}
