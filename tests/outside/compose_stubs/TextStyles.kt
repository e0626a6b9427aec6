// What lines and letters of a text style look like.
package androidx.compose.ui.text.style

data class LineHeightStyle(val alignment: Alignment, val trim: Trim) {
    @JvmInline
    value class Alignment(val ratio: Float) {
        companion object {
            val Center = Alignment(0.5f)
            val Proportional = Alignment(-1f)
        }
    }

    @JvmInline
    value class Trim(val value: Int) {
        companion object {
            val Both = Trim(0x11)
            val None = Trim(0)
        }
    }
}

data class TextDecoration(val mask: Int) {
    companion object {
        val None = TextDecoration(0)
        val Underline = TextDecoration(1)
        val LineThrough = TextDecoration(2)
    }
}
