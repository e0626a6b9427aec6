"""What code of an Android app is compiled with: the class R of its resources, and stand-ins for the classes it names.

Android, AppCompat and Material Components are in no registry that the checks use, so android_stand_ins/ declares what
the pages use of them, as their references do.
"""

from pathlib import Path

STAND_INS = Path(__file__).with_name("android_stand_ins")
IMPORTS = """import android.app.Application
import android.os.Bundle
import androidx.appcompat.app.AppCompatActivity
import com.google.android.material.color.ColorContrast
import com.google.android.material.color.ColorContrastOptions
import com.google.android.material.color.DynamicColors
"""


def app_classes(linked, package, code):
    """The files of an app's code: these lines without a package and imports, and what they are compiled with.

    ``linked`` are resources as aapt2 prints them. The class R has a field for each.
    """
    names = {}
    for resource in linked:
        type_, _, name = resource.partition("/")
        names.setdefault(type_, []).append(f"const val {name.replace('.', '_')} = 1")
    types = "\n".join(f"object {type_} {{\n" + "\n".join(fields) + "\n}" for type_, fields in names.items())
    return {
        "App.kt": f"package {package}\n\n{IMPORTS}\n{code}",
        "R.kt": f"package {package}\n\nobject R {{\n{types}\n}}\n",
        **{path.name: path.read_text(encoding="utf-8") for path in STAND_INS.glob("*.kt")},
    }
