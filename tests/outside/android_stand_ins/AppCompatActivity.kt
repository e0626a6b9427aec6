// AppCompat's activity, with the theme that styles are applied to.
package androidx.appcompat.app

import android.os.Bundle

class Theme {
    fun applyStyle(resId: Int, force: Boolean) {}
}

open class AppCompatActivity {
    val theme: Theme = Theme()

    protected open fun onCreate(savedInstanceState: Bundle?) {}

    fun setContentView(layoutResID: Int) {}
}
