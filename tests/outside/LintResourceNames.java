import com.android.builder.model.AndroidProject;
import com.android.tools.lint.LintCliClient;
import com.android.tools.lint.LintCliFlags;
import com.android.tools.lint.XmlReporter;
import com.android.tools.lint.checks.BuiltinIssueRegistry;
import com.android.tools.lint.detector.api.Project;
import java.io.File;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Set;

/** Lint's check of the names in a library with a resource prefix: the prefix, the report, the project, its resources. */
class LintResourceNames {
    public static void main(String[] arguments) throws Exception {
        AndroidProject model = (AndroidProject) Proxy.newProxyInstance(
            LintResourceNames.class.getClassLoader(),
            new Class<?>[] {AndroidProject.class},
            (proxy, method, values) -> switch (method.getName()) {
                case "getResourcePrefix" -> arguments[0];
                case "getModelVersion" -> "2.3.0";
                case "isLibrary" -> true;
                default -> method.getReturnType() == int.class ? 3 : null;
            });
        LintCliFlags flags = new LintCliFlags();
        LintCliClient client = new LintCliClient(flags, "cli") {
            @Override
            protected Project createProject(File folder, File reference) {
                return new Project(this, folder, reference) {
                    @Override
                    public boolean isGradleProject() {
                        return true;
                    }

                    @Override
                    public AndroidProject getGradleProjectModel() {
                        return model;
                    }
                };
            }
        };
        flags.setExactCheckedIds(Set.of("ResourceName"));
        flags.setResourcesOverride(List.of(new File(arguments[3])));
        flags.getReporters().add(new XmlReporter(client, new File(arguments[1])));
        client.run(new BuiltinIssueRegistry(), List.of(new File(arguments[2])));
    }
}
