import com.intellij.openapi.util.Disposer;
import com.intellij.psi.PsiElement;
import com.intellij.psi.util.PsiTreeUtil;
import java.io.File;
import java.nio.charset.StandardCharsets;
import java.nio.file.*;
import java.util.*;
import java.util.stream.*;
import org.jetbrains.kotlin.analyzer.AnalysisResult;
import org.jetbrains.kotlin.cli.common.*;
import org.jetbrains.kotlin.cli.common.config.ContentRootsKt;
import org.jetbrains.kotlin.cli.common.messages.MessageCollector;
import org.jetbrains.kotlin.cli.jvm.compiler.*;
import org.jetbrains.kotlin.cli.jvm.config.JvmContentRootsKt;
import org.jetbrains.kotlin.config.*;
import org.jetbrains.kotlin.descriptors.*;
import org.jetbrains.kotlin.psi.*;
import org.jetbrains.kotlin.resolve.*;
import org.jetbrains.kotlin.resolve.calls.util.FakeCallableDescriptorForObject;

/**
 * References as the Kotlin compiler resolves them:
 * {@code java -cp 'LIB/*' code_refs_kotlin.java ROOT TRUTH.jsonl [FOLDER...]}, where LIB is the folder {@code lib} of
 * a compiler 1.9 (npm's package {@code kotlin-compiler@1.9.25} holds one). Only the folders named are compiled, as one
 * module, so that of sources for several platforms one is chosen. A name that the compiler could not resolve (a
 * library that is not there) is neither right nor wrong. Rows are scored by {@code benchmarks.code_refs_languages}.
 */
class References {
    record Place(String path, int line, int column) {}

    static final Map<PsiElement, Place> declared = new LinkedHashMap<>();
    static final Map<PsiElement, Set<Place>> used = new HashMap<>();
    static final Map<String, Set<Place>> unknown = new HashMap<>();
    static Path root;
    static BindingContext context;

    public static void main(String[] arguments) throws Exception {
        root = Path.of(arguments[0]).toAbsolutePath().normalize();
        List<String> folders = Arrays.asList(arguments).subList(2, arguments.length);
        List<Path> tops = folders.isEmpty() ? List.of(root) : folders.stream().map(root::resolve).toList();
        KotlinCoreEnvironment environment = environment(tops);
        AnalysisResult result = KotlinToJVMBytecodeCompiler.INSTANCE.analyze(environment);
        context = result.getBindingContext();
        for (KtFile file : environment.getSourceFiles()) {
            read(file);
        }
        try (var out = Files.newBufferedWriter(Path.of(arguments[1]))) {
            for (var entry : declared.entrySet()) {
                out.write(row((KtNamedDeclaration) entry.getKey(), entry.getValue()));
                out.newLine();
            }
        }
        System.exit(0);
    }

    static KotlinCoreEnvironment environment(List<Path> tops) throws Exception {
        CompilerConfiguration configuration = new CompilerConfiguration();
        configuration.put(CLIConfigurationKeys.MESSAGE_COLLECTOR_KEY, MessageCollector.Companion.getNONE());
        configuration.put(CommonConfigurationKeys.MODULE_NAME, "references");
        configuration.put(JVMConfigurationKeys.JDK_HOME, new File(System.getProperty("java.home")));
        configuration.put(CommonConfigurationKeys.LANGUAGE_VERSION_SETTINGS, new LanguageVersionSettingsImpl(
            LanguageVersion.KOTLIN_1_9, ApiVersion.KOTLIN_1_9, Map.of(),
            Map.of(LanguageFeature.MultiPlatformProjects, LanguageFeature.State.ENABLED)));
        List<String> sources = new ArrayList<>();
        for (Path top : tops) {
            try (Stream<Path> found = Files.walk(top)) {
                found.map(Path::toString).filter(p -> p.endsWith(".kt")).sorted().forEach(sources::add);
            }
            JvmContentRootsKt.addJavaSourceRoot(configuration, top.toFile(), null);
        }
        ContentRootsKt.addKotlinSourceRoots(configuration, sources);
        for (String entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
            if (!entry.endsWith("kotlin-compiler.jar")) JvmContentRootsKt.addJvmClasspathRoot(configuration, new File(entry));
        }
        JvmContentRootsKt.configureJdkClasspathRoots(configuration);
        return KotlinCoreEnvironment.createForProduction(
            Disposer.newDisposable(), configuration, EnvironmentConfigFiles.JVM_CONFIG_FILES);
    }

    static void read(KtFile file) throws Exception {
        Lines lines = new Lines(file);
        for (KtNamedDeclaration one : PsiTreeUtil.collectElementsOfType(file, KtNamedDeclaration.class)) {
            if (isAsked(one)) declared.put(one, lines.place(one.getNameIdentifier()));
        }
        for (KtSimpleNameExpression name : PsiTreeUtil.collectElementsOfType(file, KtSimpleNameExpression.class)) {
            if (name.getParent() instanceof KtInstanceExpressionWithLabel) continue;
            if (name instanceof KtOperationReferenceExpression && name.getReferencedNameElement().getText().matches("\\W+")) continue;
            List<PsiElement> targets = targets(name);
            Place place = lines.place(name);
            if (targets == null) unknown.computeIfAbsent(name.getReferencedName(), n -> new LinkedHashSet<>()).add(place);
            else for (PsiElement target : targets) used.computeIfAbsent(target, t -> new LinkedHashSet<>()).add(place);
        }
    }

    /** What files and classes declare, and properties among parameters; not what a function holds. */
    static boolean isAsked(KtNamedDeclaration one) {
        if (one.getNameIdentifier() == null || KtPsiUtil.isLocal(one)) return false;
        if (one instanceof KtParameter parameter) return parameter.hasValOrVar();
        return one instanceof KtNamedFunction || one instanceof KtClassOrObject || one instanceof KtTypeAlias
            || one instanceof KtProperty;
    }

    /** The declarations that a name stands for; null where the compiler does not know. */
    static List<PsiElement> targets(KtSimpleNameExpression name) {
        Collection<? extends DeclarationDescriptor> found;
        DeclarationDescriptor one = context.get(BindingContext.REFERENCE_TARGET, name);
        if (one != null) found = List.of(one);
        else found = context.get(BindingContext.AMBIGUOUS_REFERENCE_TARGET, name);
        if (found == null || found.isEmpty()) return null;
        return found.stream().flatMap(d -> sources(d).stream()).distinct().toList();
    }

    static List<PsiElement> sources(DeclarationDescriptor descriptor) {
        if (descriptor instanceof FakeCallableDescriptorForObject object) descriptor = object.getClassDescriptor();
        // A class whose companion is meant is named all the same.
        if (DescriptorUtils.isCompanionObject(descriptor)) descriptor = descriptor.getContainingDeclaration();
        List<PsiElement> found = new ArrayList<>();
        for (PsiElement element : written(descriptor)) {
            // Making an instance names the class.
            if (element instanceof KtConstructor<?> constructor) element = constructor.getContainingClassOrObject();
            if (element != null) found.add(element);
        }
        return found;
    }

    static List<PsiElement> written(DeclarationDescriptor descriptor) {
        PsiElement one = DescriptorToSourceUtils.descriptorToDeclaration(descriptor);
        if (one != null) return List.of(one);
        if (descriptor instanceof CallableMemberDescriptor member) {
            return member.getOverriddenDescriptors().stream().map(DescriptorToSourceUtils::descriptorToDeclaration)
                .filter(Objects::nonNull).toList();
        }
        return List.of();
    }

    static String row(KtNamedDeclaration one, Place at) {
        String kind = one.getClass().getSimpleName().substring(2).toLowerCase();
        return "{\"name\": \"%s\", \"kind\": \"%s\", \"def\": {\"path\": \"%s\", \"line\": %d, \"col\": %d}, \"refs\": [%s], \"either\": [%s]}"
            .formatted(one.getName(), kind, at.path(), at.line(), at.column(),
                places(used.getOrDefault(one, Set.of())), places(unknown.getOrDefault(one.getName(), Set.of())));
    }

    static String places(Set<Place> places) {
        return places.stream().map(p -> "{\"path\": \"%s\", \"line\": %d}".formatted(p.path(), p.line())).distinct()
            .collect(Collectors.joining(", "));
    }

    /** Where the elements of a file stand, counted in bytes. */
    static class Lines {
        final String path;
        final String text;

        Lines(KtFile file) {
            path = root.relativize(Path.of(file.getVirtualFilePath())).toString();
            text = file.getText();
        }

        Place place(PsiElement element) {
            int offset = element.getTextRange().getStartOffset();
            int start = text.lastIndexOf('\n', offset - 1) + 1;
            int line = 1 + (int) text.substring(0, start).chars().filter(c -> c == '\n').count();
            return new Place(path, line, text.substring(start, offset).getBytes(StandardCharsets.UTF_8).length);
        }
    }
}
