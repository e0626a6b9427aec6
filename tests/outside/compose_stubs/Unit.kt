// Lengths: Floats in density-independent or in scalable pixels.
package androidx.compose.ui.unit

@JvmInline
value class Dp(val value: Float)

data class DpOffset(val x: Dp, val y: Dp) {
    companion object {
        val Zero = DpOffset(Dp(0f), Dp(0f))
    }
}

data class TextUnit(val value: Float, val isEm: Boolean = false) {
    companion object {
        val Unspecified = TextUnit(Float.NaN)
    }
}

val Int.dp: Dp get() = Dp(this.toFloat())
val Double.dp: Dp get() = Dp(this.toFloat())
val Int.sp: TextUnit get() = TextUnit(this.toFloat())
val Double.sp: TextUnit get() = TextUnit(this.toFloat())
val Int.em: TextUnit get() = TextUnit(this.toFloat(), isEm = true)
val Double.em: TextUnit get() = TextUnit(this.toFloat(), isEm = true)
val Float.dp: Dp get() = Dp(this)
val Float.sp: TextUnit get() = TextUnit(this)
val Float.em: TextUnit get() = TextUnit(this, isEm = true)
