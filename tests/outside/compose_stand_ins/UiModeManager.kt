// Android 14's setting of the contrast, which a program can set.
package android.app

class UiModeManager {
    val contrast: Float get() = setting

    companion object {
        var setting: Float = 0f
    }
}
