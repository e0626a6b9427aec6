import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.jetbrains.kotlin.cli.jvm.K2JVMCompiler;

/** The Kotlin compiler in one warm process: arguments come in, each with its length, and what it says goes out. */
class KotlinCompiler {
    public static void main(String[] unused) throws IOException {
        DataInputStream in = new DataInputStream(System.in);
        DataOutputStream out = new DataOutputStream(System.out);
        System.setOut(System.err); // what the compiler itself prints is no part of an answer
        for (int count = in.readInt(); count > 0; count = in.readInt()) {
            String[] arguments = new String[count];
            for (int at = 0; at < count; at++) {
                arguments[at] = new String(in.readNBytes(in.readInt()), StandardCharsets.UTF_8);
            }
            ByteArrayOutputStream said = new ByteArrayOutputStream();
            int code = new K2JVMCompiler().exec(new PrintStream(said, true, StandardCharsets.UTF_8), arguments).getCode();
            out.writeInt(code);
            out.writeInt(said.size());
            said.writeTo(out);
            out.flush();
        }
    }
}
